import { deepEqual, equal } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Manifest {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  readonly roleRef?: object;
  readonly subjects?: object[];
}

const FOLDER = new URL('../../deploy/k8s/cluster-agent/', import.meta.url);
const manifest = (file: string): Manifest => parse(readFileSync(new URL(file, FOLDER), 'utf8'));

describe('the read-only tier of deploy/k8s/cluster-agent (X-09)', () => {
  const role = manifest('readonly-clusterrole.yaml');

  it('grants get and list on what manifests and histories are read from, get on logs, and nothing else', () => {
    const granted = (role.rules ?? []).flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource} ${verbs.join(' ')}`)),
    );
    deepEqual(granted.sort(), [
      '/persistentvolumeclaims get list',
      '/pods get list',
      '/pods/log get',
      '/services get list',
      'apps/controllerrevisions get list',
      'apps/daemonsets get list',
      'apps/deployments get list',
      'apps/replicasets get list',
      'apps/statefulsets get list',
      'argoproj.io/rollouts get list',
      'autoscaling/horizontalpodautoscalers get list',
      'batch/cronjobs get list',
      'batch/jobs get list',
      'networking.k8s.io/ingresses get list',
      'networking.k8s.io/networkpolicies get list',
    ]);
  });

  it('is bound to the agent’s own ServiceAccount by a file of its own', () => {
    const account = manifest('serviceaccount.yaml').metadata;
    const binding = manifest('readonly-clusterrolebinding.yaml');
    deepEqual(binding.subjects, [
      { kind: 'ServiceAccount', name: account.name, namespace: account.namespace },
    ]);
    equal((binding.roleRef as { name: string }).name, role.metadata.name);
  });
});
