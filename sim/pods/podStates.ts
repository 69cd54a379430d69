import type { Container, ContainerState, ContainerStatus, Node, Pod, PodStatus } from '../objects.ts';
import type { World } from '../world.ts';
import { containerStatus, podConditions } from './podStatus.ts';

const completed = (now: string): ContainerState => ({
  terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now },
});

/** Statuses of init containers that have done their work; native sidecars among them keep running. */
function initStatuses(world: World, pod: Pod): ContainerStatus[] {
  const now = world.now();
  return (pod.spec.initContainers ?? []).map((container) =>
    containerStatus(
      container,
      container.restartPolicy === 'Always' ? { running: { startedAt: now } } : completed(now),
      { ready: true, containerId: world.random.hex(64) },
    ),
  );
}

function placed(
  world: World,
  pod: Pod,
  node: Node,
): Pick<PodStatus, 'hostIP' | 'podIP' | 'startTime'> & PodStatus {
  const hostIP = node.status.addresses.find((each) => each.type === 'InternalIP')?.address ?? '10.0.0.1';
  const podIP = pod.status.podIP ?? (pod.spec.hostNetwork === true ? hostIP : world.nextPodIp());
  return {
    ...pod.status,
    observedGeneration: 1,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status.startTime ?? world.now(),
  };
}

/** Bound to a node, nothing started yet. */
export function boundPod(world: World, pod: Pod, node: Node): Pod {
  return {
    ...pod,
    spec: { ...pod.spec, nodeName: node.metadata.name },
    status: {
      ...pod.status,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: world.now() },
      ],
    },
  };
}

/** No node takes it: Pending with the scheduler's condition. */
export function unplaceablePod(world: World, pod: Pod, message: string): Pod {
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message,
          lastProbeTime: null,
          lastTransitionTime: pod.status.conditions?.[0]?.lastTransitionTime ?? world.now(),
        },
      ],
    },
  };
}

/** All containers run; `ready` says whether their probes pass. */
export function runningPod(world: World, pod: Pod, node: Node, ready: boolean): Pod {
  const now = world.now();
  const before = pod.status.containerStatuses;
  const statuses = pod.spec.containers.map((container: Container, at) => {
    const old = before?.[at];
    const startedAt = old?.state.running?.startedAt ?? now;
    return containerStatus(
      container,
      { running: { startedAt } },
      {
        ready,
        restartCount: old?.restartCount ?? 0,
        lastState: old?.lastState ?? {},
        containerId:
          old?.state.running === undefined
            ? world.random.hex(64)
            : (old.containerID ?? '').replace('containerd://', ''),
      },
    );
  });
  return {
    ...pod,
    status: {
      ...placed(world, pod, node),
      phase: 'Running',
      conditions: podConditions(
        pod.status.conditions,
        { initialized: true, ready, sandbox: true, reason: 'ContainersNotReady' },
        now,
      ),
      containerStatuses: statuses,
      ...(pod.spec.initContainers === undefined
        ? {}
        : { initContainerStatuses: pod.status.initContainerStatuses ?? initStatuses(world, pod) }),
    },
  };
}

/** The first container has ended and waits for its next start. `restarts` is the count including this one. */
export function crashedPod(world: World, pod: Pod, node: Node, restarts: number, backOffMs: number): Pod {
  const running = runningPod(world, pod, node, false);
  const now = world.now();
  const oom = restarts % 2 === 0;
  const statuses = (running.status.containerStatuses ?? []).map((status, at) =>
    at > 0
      ? { ...status, ready: true }
      : {
          ...status,
          ready: false,
          started: false,
          restartCount: restarts,
          state: {
            waiting: {
              reason: 'CrashLoopBackOff',
              message: `back-off ${Math.round(backOffMs / 1000)}s restarting failed container=${status.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
            },
          },
          lastState: {
            terminated: {
              exitCode: oom ? 137 : 1,
              reason: oom ? 'OOMKilled' : 'Error',
              startedAt: status.state.running?.startedAt ?? now,
              finishedAt: now,
              ...(status.containerID === undefined ? {} : { containerID: status.containerID }),
            },
          },
        },
  );
  return { ...running, status: { ...running.status, containerStatuses: statuses } };
}

/** The image does not come: Pending, all containers waiting. */
export function pullingPod(world: World, pod: Pod, node: Node): Pod {
  const now = world.now();
  return {
    ...pod,
    status: {
      ...placed(world, pod, node),
      phase: 'Pending',
      conditions: podConditions(
        pod.status.conditions,
        { initialized: true, ready: false, sandbox: true, reason: 'ContainersNotReady' },
        now,
      ),
      containerStatuses: pod.spec.containers.map((container) =>
        containerStatus(
          container,
          {
            waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${container.image}"` },
          },
          { ready: false, containerId: null },
        ),
      ),
    },
  };
}

/** A Job's pod that has ended. */
export function endedPod(world: World, pod: Pod, node: Node, succeeded: boolean): Pod {
  const ran = runningPod(world, pod, node, false);
  const now = world.now();
  return {
    ...ran,
    status: {
      ...ran.status,
      phase: succeeded ? 'Succeeded' : 'Failed',
      conditions: podConditions(
        pod.status.conditions,
        { initialized: true, ready: false, sandbox: false, reason: succeeded ? 'PodCompleted' : 'PodFailed' },
        now,
      ),
      containerStatuses: (ran.status.containerStatuses ?? []).map((status) => ({
        ...status,
        ready: false,
        started: false,
        state: {
          terminated: {
            exitCode: succeeded ? 0 : 1,
            reason: succeeded ? 'Completed' : 'Error',
            startedAt: status.state.running?.startedAt ?? now,
            finishedAt: now,
            ...(status.containerID === undefined ? {} : { containerID: status.containerID }),
          },
        },
      })),
    },
  };
}

/** Thrown off its node for want of memory. */
export function evictedPod(world: World, pod: Pod): Pod {
  const { containerStatuses: _gone, initContainerStatuses: _goneToo, ...status } = pod.status;
  return {
    ...pod,
    status: {
      ...status,
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 81324Ki.',
      conditions: [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'TerminationByKubelet',
          lastProbeTime: null,
          lastTransitionTime: world.now(),
        },
        ...podConditions(
          pod.status.conditions,
          { initialized: true, ready: false, sandbox: false, reason: 'PodFailed' },
          world.now(),
        ),
      ],
    },
  };
}
