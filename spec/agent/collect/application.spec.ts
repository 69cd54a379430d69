import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { mapApplication } from '../../../agent/collect/application.ts';
import { argocdSchema } from '../../../wire/kinds/application.ts';
import { compileSchema } from '../../../wire/validate.ts';

const metadata = {
  name: 'shop',
  namespace: 'argocd',
  uid: 'a-1',
  creationTimestamp: '2026-11-01T10:00:00Z',
  annotations: { 'example.com/token': 'planted-secret' },
};
const row = (group: string, kind: string, name: string, more: object = {}) => ({
  group,
  version: 'v1',
  kind,
  namespace: 'shop',
  name,
  status: 'OutOfSync',
  health: { status: 'Degraded', message: 'planted-secret' },
  ...more,
});
const application = {
  metadata,
  spec: {
    project: 'default',
    destination: {
      name: 'production',
      server: 'https://user:planted-secret@10.0.0.1:6443/?planted-secret',
      namespace: 'shop',
    },
    source: {
      repoURL: 'https://bot:planted-secret@git.example/team/repo.git?token=planted-secret#planted-secret',
      path: 'deploy/shop',
      targetRevision: 'main',
      helm: {
        values: 'password: planted-secret',
        valuesObject: { password: 'planted-secret' },
        parameters: [{ name: 'db.password', value: 'planted-secret' }],
      },
      plugin: { env: [{ name: 'TOKEN', value: 'planted-secret' }] },
      kustomize: { patches: [{ patch: 'planted-secret' }] },
    },
  },
  status: {
    sync: {
      status: 'OutOfSync',
      revision: '4f5d0c8b7f1a4c0e9f7d1b2a3c4d5e6f7a8b9c0d',
      comparedTo: { source: 'planted-secret' },
    },
    health: { status: 'Degraded', message: 'planted-secret' },
    history: [{ source: { helm: { values: 'planted-secret' } } }],
    operationState: { message: 'planted-secret' },
    resources: [
      row('apps', 'Deployment', 'api'),
      row('apps', 'StatefulSet', 'db'),
      row('apps', 'DaemonSet', 'logs', { health: null }),
      row('argoproj.io', 'Rollout', 'checkout'),
      row('', 'Service', 'api'),
      row('apps', 'ReplicaSet', 'old'),
      row('extensions', 'Deployment', 'other'),
    ],
  },
};
const none = new Set<string>();
const check = compileSchema(argocdSchema);
const isTaken = (mapped: object): boolean =>
  check({ state: 'ok', in_cluster_names: [], applications: [JSON.parse(JSON.stringify(mapped))] }).ok;

describe('an ArgoCD Application as sent', () => {
  it('has its identity, destination, states, revision, source and the rows of its workloads (AA-01, AA-05)', () => {
    const mapped = mapApplication(application, none);
    const { resources, ...rest } = mapped;
    deepEqual(rest, {
      namespace: 'argocd',
      name: 'shop',
      uid: 'a-1',
      created_at: '2026-11-01T10:00:00Z',
      project: 'default',
      destination_name: 'production',
      destination_server: 'https://10.0.0.1:6443/',
      destination_namespace: 'shop',
      sync_status: 'OutOfSync',
      health_status: 'Degraded',
      revisions: ['4f5d0c8b7f1a4c0e9f7d1b2a3c4d5e6f7a8b9c0d'],
      sources: [{ repo_url: 'https://git.example/team/repo.git', path: 'deploy/shop' }],
      resources_total: 7,
    });
    deepEqual(
      resources?.map(({ kind, name, sync_status, health_status }) => [
        kind,
        name,
        sync_status,
        health_status,
      ]),
      [
        ['Deployment', 'api', 'OutOfSync', 'Degraded'],
        ['StatefulSet', 'db', 'OutOfSync', 'Degraded'],
        ['DaemonSet', 'logs', 'OutOfSync', null],
        ['Rollout', 'checkout', 'OutOfSync', 'Degraded'],
      ],
    );
    ok(isTaken(mapped));
  });

  it('never has Helm values, parameters, plugin variables, patches, messages or credentials (AA-06, AA-07)', () => {
    ok(JSON.stringify(application).split('planted-secret').length > 15);
    ok(!JSON.stringify(mapApplication(application, none)).includes('planted-secret'));
  });

  it('has every source and revision of one that has several', () => {
    const several = {
      metadata,
      spec: { sources: [{ repoURL: 'https://a.example/x' }, { repoURL: 'not a url at all', path: 'p' }] },
      status: { sync: { revisions: ['1', '2'] } },
    };
    const { sources, revisions } = mapApplication(several, none);
    deepEqual(sources, [
      { repo_url: 'https://a.example/x', path: null },
      { repo_url: null, path: 'p' },
    ]);
    deepEqual(revisions, ['1', '2']);
  });

  it('keeps the name of its destination as it is written, whatever this cluster is called (AA-14)', () => {
    for (const name of ['in-cluster', 'production', 'Weird Name ✓']) {
      const spec = { destination: { name, server: 'https://kubernetes.default.svc' } };
      const mapped = mapApplication({ metadata, spec }, none);
      deepEqual(
        [mapped.destination_name, mapped.destination_server],
        [name, 'https://kubernetes.default.svc'],
      );
    }
  });

  it('is one that the backend takes, whatever its spec and status hold', () => {
    const fields = [
      'destination',
      'source',
      'sources',
      'project',
      'sync',
      'health',
      'resources',
      'status',
      'revisions',
    ];
    const hostile = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 0, true, '', 'text', [], {}),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(...fields, 'name', 'repoURL', 'path', 'kind', 'group', 'namespace', 'revision'),
          tie('any'),
        ),
      ),
    })).any;
    fc.assert(
      fc.property(hostile, hostile, (spec, status) => {
        ok(isTaken(mapApplication({ metadata, spec, status }, none)));
      }),
    );
  });

  it('has no rows in excluded namespaces, which its total still counts', () => {
    const mapped = mapApplication(application, new Set(['shop']));
    deepEqual([mapped.resources, mapped.resources_total], [[], 7]);
    equal(mapApplication({ metadata }, none).resources_total, 0);
  });
});
