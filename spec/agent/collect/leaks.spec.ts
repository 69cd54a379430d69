import { deepEqual, ok } from 'node:assert/strict';
import { createCollector } from '../../../agent/collect/index.ts';
import { LIST_PATHS } from '../../../agent/collect/listings.ts';
import type { FactsKind } from '../../../rules/facts/build.ts';
import { encodeSnapshot } from '../../../wire/inventory.ts';
import { plant } from '../../rules/facts/plant.ts';
import { rawSpecOf } from '../../rules/facts/workloads.ts';
import { snapshotOf } from '../../support/snapshots.ts';
import type { ListServer } from './listServer.ts';
import { startListServer } from './listServer.ts';

const KINDS: Readonly<Record<FactsKind, string>> = {
  Deployment: LIST_PATHS.deployments,
  StatefulSet: LIST_PATHS.statefulsets,
  DaemonSet: LIST_PATHS.daemonsets,
  Rollout: LIST_PATHS.rollouts,
};

/** Places of a workload's spec whose text may be anywhere in the payload: names, images, amounts and references. */
const SENT: readonly RegExp[] = [
  /^template\.spec\.(serviceAccountName|priorityClassName)$/,
  // Of the rows: the API server takes nothing but quantities here, save in a Rollout. Facts hold only quantities anyway.
  /^template\.spec\.\w+\.\d+\.resources\.(requests|limits)\./,
  /^template\.spec\.(containers|initContainers|ephemeralContainers)\.\d+\.(name|image)$/,
  /^template\.spec\.(containers|initContainers|ephemeralContainers)\.\d+\.ports\.\d+\.(name|protocol)$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.env\.\d+\.name$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.envFrom\.\d+\.(prefix|configMapRef\.name|secretRef\.name)$/,
  /^template\.spec\.volumes\.\d+\.(configMap\.name|secret\.secretName|persistentVolumeClaim\.claimName)$/,
  /^template\.spec\.volumes\.\d+\.projected\.sources\.\d+\.(configMap|secret)\.name$/,
  /^template\.spec\.volumes\.\d+\.csi\.nodePublishSecretRef\.name$/,
  /^(strategy|updateStrategy)\.(type|(rollingUpdate|canary)\.(maxSurge|maxUnavailable))$/,
  // By this name a mount finds its claim template, so all of them carry one marker.
  /^template\.spec\.(volumes|\w+\.\d+\.volumeMounts)\.\d+\.name$|^volumeClaimTemplates\.\d+\.metadata\.name$/,
];

describe('the whole payload', () => {
  let server: ListServer;
  beforeEach(async () => {
    server = await startListServer();
    server.objects['/apis/argoproj.io/v1alpha1'] = { resources: [{ name: 'rollouts' }] };
    server.objects['/version'] = { gitVersion: 'v1.37.2' };
    server.objects['/api/v1/namespaces/kube-system'] = { metadata: { name: 'kube-system', uid: 'uid' } };
  });
  afterEach(() => server.stop());

  for (const [kind, path] of Object.entries(KINDS) as [FactsKind, string][]) {
    it(`holds no planted value of a ${kind}, nor of its pods (SF-16, SF-20)`, async () => {
      const { spec, places } = plant(rawSpecOf(kind));
      const metadata = {
        namespace: 'shop',
        name: 'api',
        uid: 'u',
        creationTimestamp: '2026-11-30T10:00:00Z',
      };
      const { template } = spec as { template: { spec: object } };
      server.lists[path] = [{ metadata, spec }];
      server.lists[LIST_PATHS.pods] = [{ metadata, spec: template.spec, status: { phase: 'Running' } }];
      const collector = createCollector(server.api, {
        clusterName: 'shop',
        clusterSlug: 'shop',
        excludedNamespaces: new Set<string>(),
        podLimit: 5000,
        syncIntervalSeconds: 300,
        inClusterNames: [],
        log: { warn: () => undefined },
      });
      const { data, coverage } = await collector.collect(AbortSignal.timeout(10_000));
      const text = encodeSnapshot({ ...snapshotOf(), coverage, data }).toString();
      const found = [...places].filter(([marker]) => text.includes(marker)).flatMap(([, from]) => from);
      deepEqual(
        found.filter((place) => !SENT.some((sent) => sent.test(place))),
        [],
      );
      // The scan sees what there is: names and images did travel.
      ok(text.includes('"spec_facts"') && found.length > 20);
      ok(data.pods.length === 1);
    });
  }
});
