import assert from 'node:assert/strict';
import { SimCluster } from '../../sim/cluster.ts';
import type { KubeObject, OwnerReference } from '../../sim/objects.ts';
import type { Distribution } from '../../sim/profile.ts';

const now = '2026-06-01T10:00:00Z';

function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

describe('sim: what a generated cluster holds', () => {
  const cluster = new SimCluster({ seed: 11, pods: 900, argo: true, now });
  const pods = cluster.list('pods');

  it('names the pods of Deployments and Rollouts after a ReplicaSet in the alphabets of the API', () => {
    const replicated = pods.filter((pod) => controllerOf(pod)?.kind === 'ReplicaSet');
    assert.ok(replicated.length > 100);
    for (const { metadata } of replicated) {
      assert.match(metadata.name, /-[bcdf456789]{9,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }
  });

  it('labels pods with their hash: pod-template-hash by a Deployment, rollouts-pod-template-hash by a Rollout (AR-11)', () => {
    const kinds = new Set<string>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner?.kind !== 'ReplicaSet') continue;
      const set = cluster.get('replicasets', pod.metadata.namespace ?? '', owner.name);
      const top = set === null ? undefined : controllerOf(set);
      const [label, other] =
        top?.kind === 'Rollout'
          ? ['rollouts-pod-template-hash', 'pod-template-hash']
          : ['pod-template-hash', 'rollouts-pod-template-hash'];
      assert.equal(owner.name, `${top?.name}-${pod.metadata.labels?.[label]}`);
      assert.equal(pod.metadata.labels?.[other], undefined);
      kinds.add(top?.kind ?? '');
    }
    assert.deepEqual([...kinds].sort(), ['Deployment', 'Rollout']);
  });

  it('has a pod of every DaemonSet on each of its nodes, and members of StatefulSets by ordinal with a claim', () => {
    for (const set of cluster.list('daemonsets')) {
      const hosts = pods
        .filter((pod) => controllerOf(pod)?.name === set.metadata.name)
        .map(({ spec }) => spec.nodeName);
      assert.equal(new Set(hosts).size, cluster.list('nodes').length);
      assert.equal(hosts.length, cluster.list('nodes').length);
    }
    const sets = cluster.list('statefulsets');
    assert.ok(sets.length > 0);
    for (const { metadata, spec } of sets) {
      for (let ordinal = 0; ordinal < spec.replicas; ordinal += 1) {
        const { namespace = '', name } = metadata;
        assert.ok(cluster.get('pods', namespace, `${name}-${ordinal}`));
        const claim = cluster.get('persistentvolumeclaims', namespace, `data-${name}-${ordinal}`);
        assert.equal(claim?.status?.phase, 'Bound');
      }
    }
    const phases = cluster.list('persistentvolumeclaims').map(({ status }) => status?.phase);
    assert.ok(phases.includes('Pending'));
  });

  it('has every shape that mappers must know: init containers, native sidecars, probes, secrets by reference', () => {
    const inits = pods.flatMap(({ spec }) => spec.initContainers ?? []);
    assert.ok(inits.some(({ restartPolicy }) => restartPolicy === 'Always'));
    assert.ok(inits.some(({ restartPolicy }) => restartPolicy === undefined));
    const text = JSON.stringify(pods.map(({ spec }) => spec.containers));
    for (const part of ['"readinessProbe"', '"secretKeyRef"', '"configMapKeyRef"', '"fieldRef"']) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(pods.some(({ spec }) => spec.containers.length > 1));
    assert.ok(pods.some(({ spec }) => spec.hostNetwork === true));
  });

  it('has troubled pods among healthy ones, and ended ones of Jobs', () => {
    const waiting = pods.flatMap(({ status }) =>
      (status.containerStatuses ?? []).map(({ state }) => state.waiting?.reason),
    );
    assert.ok(waiting.includes('CrashLoopBackOff'));
    assert.ok(pods.some(({ status }) => status.phase === 'Succeeded'));
    assert.ok(pods.some(({ status }) => status.phase === 'Pending'));
    const running = pods.filter(({ status }) => status.phase === 'Running').length;
    assert.ok(running > pods.length * 0.8);
  });

  it('has events of all three shapes, none older than the hour that the API keeps them (AG-28)', () => {
    const events = cluster.list('events');
    const old = events.filter(({ count, lastTimestamp }) => count !== undefined && lastTimestamp !== null);
    const fresh = events.filter(({ count, lastTimestamp }) => count === undefined && lastTimestamp === null);
    assert.equal(old.length + fresh.length, events.length);
    assert.ok(old.some(({ count = 0 }) => count > 1));
    assert.ok(fresh.some(({ series }) => series !== undefined));
    assert.ok(fresh.some(({ series }) => series === undefined));
    for (const { eventTime } of fresh) assert.match(String(eventTime), /\.\d{6}Z$/);
    for (const { lastTimestamp, series, eventTime } of events) {
      const seenMs = Date.parse(lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? '');
      assert.ok(Date.parse(now) - seenMs <= 3_600_000 && seenMs <= Date.parse(now));
    }
  });

  it('carries what brought its objects: Helm release and chart, or the last applied configuration', () => {
    const deployments = cluster.list('deployments');
    const helm = deployments.filter(({ metadata }) => metadata.labels?.['helm.sh/chart'] !== undefined);
    const applied = deployments.filter(({ metadata }) => metadata.labels?.['helm.sh/chart'] === undefined);
    assert.ok(helm.length > 0 && applied.length > 0);
    for (const { metadata } of helm) assert.ok(metadata.annotations?.['meta.helm.sh/release-name']);
    for (const { kind, metadata } of applied) {
      const text = metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '';
      const written = JSON.parse(text) as KubeObject;
      assert.deepEqual([written.kind, written.metadata.name], [kind, metadata.name]);
    }
  });

  it('keeps the ReplicaSets of past rollouts at zero, with revisions that count up to the current one', () => {
    let olds = 0;
    for (const deployment of cluster.list('deployments')) {
      const sets = cluster
        .list('replicasets', deployment.metadata.namespace)
        .filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
      const revision = (each: KubeObject): number =>
        Number(each.metadata.annotations?.['deployment.kubernetes.io/revision']);
      const current = sets.find((set) => revision(set) === revision(deployment));
      assert.equal(current?.spec.replicas, deployment.spec.replicas);
      assert.deepEqual(
        sets.map(revision).sort((a, b) => a - b),
        sets.map((_, at) => at + 1),
      );
      for (const set of sets) if (set !== current) assert.equal(set.spec.replicas, 0);
      olds += sets.length - 1;
    }
    assert.ok(olds > 0);
  });

  it('has Rollouts of every kind that Argo allows, with quantities as typed (AR-08, AR-12, SF-08)', () => {
    const rollouts = cluster.list('rollouts');
    assert.ok(rollouts.some(({ spec }) => spec.strategy?.canary !== undefined));
    assert.ok(rollouts.some(({ spec }) => spec.strategy?.blueGreen !== undefined));
    assert.ok(rollouts.some(({ spec }) => spec.replicas === undefined));
    const referring = rollouts.find(({ spec }) => spec.workloadRef !== undefined);
    assert.equal(referring?.spec.template, undefined);
    assert.ok((referring?.status.readyReplicas ?? 0) > 0);
    // The Deployment that it refers to has the same name and template, and ReplicaSets of its own.
    const { namespace = '', name } = referring?.metadata ?? {};
    const owners = cluster
      .list('replicasets', namespace)
      .map(controllerOf)
      .filter((owner) => owner?.name === name);
    assert.deepEqual(owners.map((owner) => owner?.kind).sort(), ['Deployment', 'Rollout']);
    assert.ok(JSON.stringify(rollouts).includes('"cpu":0.5'));
    // What the typed API holds of them is canonical.
    assert.ok(!JSON.stringify(pods).includes('"cpu":0.5'));
  });

  it('has the other kinds: Ingresses with and without TLS, autoscalers, policies, quotas, CronJobs, Applications', () => {
    const tls = new Set(cluster.list('ingresses').map(({ spec }) => spec?.tls !== undefined));
    assert.equal(tls.size, 2);
    for (const resource of [
      'horizontalpodautoscalers',
      'networkpolicies',
      'resourcequotas',
      'jobs',
      'cronjobs',
      'applications',
    ] as const) {
      assert.ok(cluster.list(resource).length > 0, resource);
    }
    for (const quota of cluster.list('resourcequotas')) {
      const counted = cluster
        .list('pods', quota.metadata.namespace)
        .filter(({ status }) => status.phase !== 'Succeeded' && status.phase !== 'Failed').length;
      assert.equal(quota.status.used?.pods, String(counted));
    }
  });

  it('has nothing of argoproj.io where Argo is not wanted', () => {
    const plain = new SimCluster({ seed: 11, pods: 60, now });
    assert.deepEqual([plain.list('rollouts'), plain.list('applications')], [[], []]);
    assert.equal(plain.get('namespaces', '', 'argocd'), null);
  });

  it('looks like the machines of its distribution (AG-04)', () => {
    const expected: {
      readonly [distribution in Distribution]: readonly [version: RegExp, provider: RegExp];
    } = {
      eks: [/-eks-/, /^aws:\/\/\/.+\/i-/],
      gke: [/-gke\./, /^gce:\/\//],
      aks: [/^v1\.37\.2$/, /^azure:\/\/\//],
      rke2: [/\+rke2r1$/, /^hcloud:\/\/\d+$/],
      k3s: [/\+k3s1$/, /^k3s:\/\//],
      kubeadm: [/^v1\.37\.2$/, /^undefined$/],
    };
    for (const [distribution, [version, provider]] of Object.entries(expected)) {
      const nodes = new SimCluster({
        seed: 1,
        pods: 40,
        nodes: 4,
        distribution: distribution as Distribution,
        now,
      }).list('nodes');
      assert.equal(nodes.length, 4);
      for (const { spec, status } of nodes) {
        assert.match(status.nodeInfo.kubeletVersion ?? '', version);
        assert.match(String(spec.providerID), provider);
      }
      assert.equal(new Set(nodes.map(({ metadata }) => metadata.name)).size, 4);
    }
  });
});
