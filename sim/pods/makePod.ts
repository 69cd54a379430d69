import type { Container, KubeObject, Labels, Pod, PodSpec, PodTemplate, Toleration } from '../objects.ts';
import { type Draft, ownedBy, type World } from '../world.ts';
import { bornSteady } from './bornSteady.ts';
import { planPod } from './podLife.ts';
import { unplacedStatus } from './podStatus.ts';

/** The alphabet of `generateName` suffixes: no vowels, no look-alikes, so no words come out. */
export const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** What a controller wants of a new pod. */
export interface PodWish {
  readonly namespace: string;
  readonly owner: KubeObject;
  readonly template: PodTemplate;
  /** A fixed name (StatefulSets); without it the name is `prefix` and five letters. */
  readonly name?: string;
  readonly prefix?: string;
  readonly labels?: Labels;
  readonly spec?: Partial<PodSpec>;
  readonly controller: string;
  /** The node of a DaemonSet's pod. */
  readonly node?: string;
}

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

const defaultTolerations: readonly Toleration[] = ['not-ready', 'unreachable'].map((condition) => ({
  key: `node.kubernetes.io/${condition}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

/** Admission's part of a pod: the projected token volume with its mounts, default tolerations, service account. */
function admitted(world: World, spec: PodSpec): PodSpec {
  const volume = `kube-api-access-${world.random.chars(suffixAlphabet, 5)}`;
  const mount = { name: volume, readOnly: true, mountPath: tokenMountPath };
  const withMount = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), mount],
  });
  return {
    ...spec,
    containers: spec.containers.map(withMount),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withMount) }),
    serviceAccountName: spec.serviceAccountName ?? 'default',
    serviceAccount: spec.serviceAccountName ?? 'default',
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    enableServiceLinks: true,
    tolerations: [...(spec.tolerations ?? []), ...defaultTolerations],
    volumes: [
      ...(spec.volumes ?? []),
      {
        name: volume,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [
                  { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                ],
              },
            },
          ],
        },
      },
    ],
  };
}

/** Creates a pod and plans its life; while the cluster is being generated it is born in its steady state. */
export function makePod(world: World, wish: PodWish): Pod {
  const { template, namespace } = wish;
  const prefix = wish.prefix ?? '';
  const spec: PodSpec = admitted(world, { ...template.spec, ...wish.spec });
  const pod = world.create(
    'pods',
    {
      name: wish.name ?? `${prefix}${world.random.chars(suffixAlphabet, 5)}`,
      ...(wish.name === undefined ? { generateName: prefix } : {}),
      namespace,
      labels: { ...template.metadata.labels, ...wish.labels },
      ...(template.metadata.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [ownedBy(wish.owner)],
    },
    { spec, status: unplacedStatus(spec) },
    wish.controller,
    // The controller sent its template; what admission added to it has no manager.
    { spec: template.spec },
  );
  if (world.instant) bornSteady(world, pod, wish.node ?? null);
  else planPod(world, pod, wish.node ?? null);
  return pod;
}

interface WrittenContainer {
  readonly name: string;
  readonly image: string;
  readonly [field: string]: unknown;
}

/** A pod's spec as an author writes it; the API server's defaults fill in the rest. */
export interface WrittenPodSpec {
  readonly containers: readonly WrittenContainer[];
  readonly initContainers?: readonly WrittenContainer[];
  readonly [field: string]: unknown;
}

/** Creates a pod that no controller made; it is scheduled and started like any other. */
export function makeBarePod(world: World, draft: Draft, written: WrittenPodSpec): Pod {
  const { containers, initContainers, ...rest } = written;
  const complete = (container: WrittenContainer): Container => ({ resources: {}, ...container });
  const spec = admitted(world, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    ...rest,
    containers: containers.map(complete),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(complete) }),
  });
  const pod = world.create(
    'pods',
    draft,
    { spec, status: unplacedStatus(spec) },
    'kubectl-client-side-apply',
  );
  planPod(world, pod, null);
  return pod;
}
