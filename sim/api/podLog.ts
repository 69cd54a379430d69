import type { SimCluster } from '../cluster.ts';
import type { Container, ContainerStatus, Pod } from '../objects.ts';
import type { LogLine } from '../pods/podLogs.ts';
import { type Answer, logText, noContent } from './answer.ts';
import { type LogOptions, readLogOptions } from './logOptions.ts';
import { badRequest, failure, notFound } from './status.ts';

/** Answers `GET .../pods/<name>/log`: the API server's checks, then what the kubelet of the pod's node would say. */
export function podLog(cluster: SimCluster, namespace: string, name: string, query: URLSearchParams): Answer {
  const pod = cluster.get('pods', namespace, name);
  if (pod === null) return notFound({ group: '', resource: 'pods' }, name);
  const options = readLogOptions(name, query);
  if ('body' in options) return options;
  const container = chooseContainer(pod, options.container);
  if (typeof container === 'string') return badRequest(container);
  const node = pod.spec.nodeName;
  if (node === undefined) return noContent;
  if (cluster.downNodes().includes(node)) return unreachable(pod, container);
  return fromKubelet(cluster, pod, container, options);
}

/** The container that is meant, or why it can't be told which. */
function chooseContainer(pod: Pod, wanted: string): Container | string {
  const { containers, initContainers = [] } = pod.spec;
  const { name } = pod.metadata;
  const all = [...initContainers, ...containers];
  if (wanted !== '') {
    return all.find((each) => each.name === wanted) ?? `container ${wanted} is not valid for pod ${name}`;
  }
  // Init containers and sidecars are no reason to ask which one is meant; they are only named in the question.
  const [only] = containers;
  if (only !== undefined && containers.length === 1) return only;
  const names = all.map((each) => each.name).join(' ');
  return `a container name must be specified for pod ${name}, choose one of: [${names}]`;
}

/** A node that does not answer is an error of the connection, which the API server passes on without a reason. */
function unreachable(pod: Pod, container: Container): Answer {
  const { namespace, name } = pod.metadata;
  const address = `${pod.status.hostIP ?? '10.0.0.1'}:10250`;
  const url = `https://${address}/containerLogs/${namespace}/${name}/${container.name}`;
  return failure(500, null, `Get "${url}": dial tcp ${address}: connect: no route to host`);
}

function fromKubelet(cluster: SimCluster, pod: Pod, container: Container, options: LogOptions): Answer {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status;
  const status = [...initContainerStatuses, ...containerStatuses].find(
    (each) => each.name === container.name,
  );
  const what = `container "${container.name}" in pod "${pod.metadata.name}"`;
  if (status === undefined) return badRequest(`${what} is not available`);
  if (options.previous && status.lastState.terminated === undefined) {
    return badRequest(`previous terminated ${what} not found`);
  }
  const waiting = notStarted(status);
  if (waiting !== null && !options.previous) return badRequest(`${what} is waiting to start: ${waiting}`);
  const { nowMs, logs } = cluster;
  return logText(cut(logs.linesOf(pod, container, status, options.previous, nowMs), options, nowMs));
}

/** Why a container has no log yet; null when some run of it has written one. */
function notStarted({ state, lastState }: ContainerStatus): string | null {
  if (state.waiting === undefined || lastState.terminated !== undefined) return null;
  if (state.waiting.reason === 'ErrImagePull') return "image can't be pulled";
  return state.waiting.reason === 'ImagePullBackOff'
    ? 'trying and failing to pull image'
    : state.waiting.reason;
}

function cut(lines: readonly LogLine[], options: LogOptions, nowMs: number): string {
  const { tailLines, limitBytes, sinceSeconds, timestamps } = options;
  const fromMs = sinceSeconds === null ? (options.sinceMs ?? 0) : nowMs - sinceSeconds * 1000;
  const tail = tailLines === null ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  const text = tail
    .filter((line) => line.atMs >= fromMs)
    .map((line) => `${timestamps ? `${stampOf(line)} ` : ''}${line.text}\n`)
    .join('');
  // The limit counts bytes and may cut a character in two, as the kubelet's does.
  return limitBytes === null ? text : Buffer.from(text).subarray(0, limitBytes).toString();
}

/** Nine digits after the second, as the container runtime writes them. */
function stampOf({ atMs, nanos }: LogLine): string {
  return `${new Date(atMs).toISOString().slice(0, 23)}${String(nanos).padStart(6, '0')}Z`;
}
