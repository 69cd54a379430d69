import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { LIST_PATHS } from '../../agent/collect/listings.ts';

interface Rule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Record<string, string>;
  };
  readonly rules?: Rule[];
  readonly roleRef?: object;
  readonly subjects?: object[];
}

const FOLDER = new URL('../../deploy/k8s/cluster-agent/', import.meta.url);
const manifest = (file: string): Manifest => parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** DP-13 to DP-21 as the cluster agent's document lists them: group, resources, verbs. */
const DOCUMENTED = [
  [
    '',
    ['nodes', 'namespaces', 'pods', 'services', 'endpoints', 'resourcequotas', 'events'],
    ['get', 'list', 'watch'],
  ],
  ['apps', ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], ['get', 'list', 'watch']],
  ['batch', ['jobs', 'cronjobs'], ['get', 'list', 'watch']],
  ['networking.k8s.io', ['ingresses', 'networkpolicies'], ['get', 'list', 'watch']],
  ['', ['persistentvolumeclaims'], ['get', 'list', 'watch']],
  ['autoscaling', ['horizontalpodautoscalers'], ['get', 'list', 'watch']],
  ['discovery.k8s.io', ['endpointslices'], ['get', 'list', 'watch']],
  ['metrics.k8s.io', ['nodes'], ['get', 'list']],
  ['argoproj.io', ['rollouts'], ['list']],
  ['argoproj.io', ['applications'], ['list']],
] as const;

describe('deploy/k8s/cluster-agent', () => {
  const rules = manifest('clusterrole.yaml').rules ?? [];

  it('grants exactly the documented rules (DP-13 to DP-21)', () => {
    deepEqual(
      rules,
      DOCUMENTED.map(([group, resources, verbs]) => ({ apiGroups: [group], resources, verbs })),
    );
  });

  it('grants no secrets, no configmaps, no write verb and no wildcard (DP-22, AG-19)', () => {
    const named = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    deepEqual(
      named.filter((name) => name.includes('*') || /^(secrets|configmaps)\b/.test(name)),
      [],
    );
    const verbs = new Set(rules.flatMap((rule) => rule.verbs));
    deepEqual([...verbs].sort(), ['get', 'list', 'watch']);
  });

  it('grants list on everything that the agent lists', () => {
    const granted = new Set(
      rules
        .filter(({ verbs }) => verbs.includes('list'))
        .flatMap(({ apiGroups, resources }) =>
          resources.flatMap((resource) => apiGroups.map((group) => `${group}/${resource}`)),
        ),
    );
    const listed = Object.values(LIST_PATHS).map((path) => {
      const parts = path.split('/');
      return parts[1] === 'api' ? `/${parts[3]}` : `${parts[2]}/${parts[4]}`;
    });
    deepEqual(
      listed.filter((resource) => !granted.has(resource)),
      [],
    );
  });

  it('binds the role to the agent’s own ServiceAccount and to nothing else', () => {
    const account = manifest('serviceaccount.yaml').metadata;
    const binding = manifest('clusterrolebinding.yaml');
    deepEqual(binding.subjects, [
      { kind: 'ServiceAccount', name: account.name, namespace: account.namespace },
    ]);
    deepEqual(binding.roleRef, {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: manifest('clusterrole.yaml').metadata.name,
    });
  });

  it('puts the agent into proxima-system, which enforces the restricted Pod Security Standard', () => {
    const namespace = manifest('namespace.yaml').metadata;
    equal(namespace.name, 'proxima-system');
    equal(namespace.labels['pod-security.kubernetes.io/enforce'], 'restricted');
    equal(manifest('serviceaccount.yaml').metadata.namespace, namespace.name);
  });
});
