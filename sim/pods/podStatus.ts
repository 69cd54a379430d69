import type {
  Condition,
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
} from '../objects.ts';
import { hash32, Random } from '../random.ts';

const digests = new Map<string, string>();

/** The digest form of an image, the same for every pod that runs it. */
function imageId(image: string): string {
  let id = digests.get(image);
  if (id === undefined) {
    const [repository = image] = image.split(/:(?=[^/]*$)/);
    id = `${repository}@sha256:${new Random(hash32(image)).hex(64)}`;
    digests.set(image, id);
  }
  return id;
}

/** The status of one container in the given state. */
export function containerStatus(
  container: Container,
  state: ContainerState,
  rest: { ready: boolean; restartCount?: number; lastState?: ContainerState; containerId: string | null },
): ContainerStatus {
  return {
    name: container.name,
    image: container.image,
    imageID: rest.containerId === null ? '' : imageId(container.image),
    ...(rest.containerId === null ? {} : { containerID: `containerd://${rest.containerId}` }),
    ready: rest.ready,
    started: state.running !== undefined,
    restartCount: rest.restartCount ?? 0,
    state,
    lastState: rest.lastState ?? {},
  };
}

/** The five pod conditions with their states; a condition that keeps its state keeps its transition time. */
export function podConditions(
  before: readonly Condition[] | undefined,
  states: { initialized: boolean; ready: boolean; sandbox: boolean; reason?: string },
  now: string,
): Condition[] {
  const wanted: [string, boolean][] = [
    ['PodReadyToStartContainers', states.sandbox],
    ['Initialized', states.initialized],
    ['Ready', states.ready],
    ['ContainersReady', states.ready],
    ['PodScheduled', true],
  ];
  return wanted.map(([type, holds]) => {
    const status = holds ? 'True' : 'False';
    const old = before?.find((each) => each.type === type);
    return {
      type,
      status,
      ...(holds || !type.endsWith('Ready') || states.reason === undefined ? {} : { reason: states.reason }),
      lastProbeTime: null,
      lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
    };
  });
}

/** Whether a pod counts as ready for its owner and its services. */
export function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

/** Whether a pod still counts for its controller: not going, not ended. */
export function isActive(pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined &&
    pod.status.phase !== 'Succeeded' &&
    pod.status.phase !== 'Failed'
  );
}

/** Guaranteed, Burstable or BestEffort, from what the containers ask for. */
export function qosClass(spec: PodSpec): string {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const asksNothing = containers.every(
    ({ resources }) => resources.requests === undefined && resources.limits === undefined,
  );
  if (asksNothing) return 'BestEffort';
  const isGuaranteed = containers.every(({ resources }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = resources.limits?.[name];
      return limit !== undefined && limit === resources.requests?.[name];
    }),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** The status of a pod that nobody has placed yet. */
export function unplacedStatus(spec: PodSpec): PodStatus {
  return { phase: 'Pending', qosClass: qosClass(spec) };
}
