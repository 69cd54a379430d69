import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import type { OwnerReference, Workload } from '../../../rules/kube/owner.ts';
import { controllerOf, workloadBehind } from '../../../rules/kube/owner.ts';

const owner = (kind: string, name: string): OwnerReference => ({
  kind,
  name,
  uid: `uid-${name}`,
  controller: true,
});
const none: ReadonlyMap<string, Workload | null> = new Map();

describe('rules/kube/owner', () => {
  it('resolves a ReplicaSet to what controls it, by uid (AG-33)', () => {
    const sets = new Map([['uid-api-7d9c', { kind: 'Deployment', name: 'api' }]]);
    deepEqual(workloadBehind(owner('ReplicaSet', 'api-7d9c'), {}, sets), { kind: 'Deployment', name: 'api' });
  });

  it('resolves a Rollout’s ReplicaSet to the Rollout, never to a Deployment of the same name (AR-11)', () => {
    const set = owner('ReplicaSet', 'checkout-5f6d8');
    const labels = { 'rollouts-pod-template-hash': '5f6d8' };
    deepEqual(workloadBehind(set, labels, none), { kind: 'Rollout', name: 'checkout' });
    const sets = new Map([[set.uid, { kind: 'Rollout', name: 'checkout' }]]);
    deepEqual(workloadBehind(set, labels, sets), { kind: 'Rollout', name: 'checkout' });
  });

  it('resolves a ReplicaSet made after the list was read by the pod’s template hash', () => {
    const labels = { 'pod-template-hash': '7d9c' };
    deepEqual(workloadBehind(owner('ReplicaSet', 'api-7d9c'), labels, none), {
      kind: 'Deployment',
      name: 'api',
    });
  });

  it('takes a ReplicaSet that nobody controls for the workload, also one that the list did not have', () => {
    const itself = { kind: 'ReplicaSet', name: 'lone' };
    deepEqual(workloadBehind(owner('ReplicaSet', 'lone'), {}, new Map([['uid-lone', null]])), itself);
    deepEqual(workloadBehind(owner('ReplicaSet', 'lone'), { 'pod-template-hash': 'zz' }, none), itself);
    deepEqual(workloadBehind(owner('ReplicaSet', '-zz'), { 'pod-template-hash': 'zz' }, none), {
      kind: 'ReplicaSet',
      name: '-zz',
    });
  });

  it('finds the maker’s name in any name that a controller makes', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/),
        fc.stringMatching(/^[bcdfghjklmnpqrstvwxz2456789]{5,10}$/),
        (name, hash) =>
          deepEqual(
            workloadBehind(owner('ReplicaSet', `${name}-${hash}`), { 'pod-template-hash': hash }, none),
            {
              kind: 'Deployment',
              name,
            },
          ),
      ),
    );
  });

  it('takes other controllers for the workload, a CronJob’s Job for itself, and none for a bare or a static pod', () => {
    for (const kind of ['StatefulSet', 'DaemonSet', 'Job'])
      deepEqual(workloadBehind(owner(kind, 'x'), {}, none), { kind, name: 'x' });
    equal(workloadBehind(null, {}, none), null);
    equal(workloadBehind(owner('Node', 'worker-1'), {}, none), null);
  });

  it('sees the controller only among the owners', () => {
    const referred = { kind: 'ConfigMap', name: 'c', uid: 'u' };
    deepEqual(controllerOf([referred, owner('Job', 'j')])?.name, 'j');
    equal(controllerOf([referred]), null);
    equal(controllerOf(undefined), null);
  });
});
