/** Which container of a pod a log read means, and why one has no log. */

interface Status {
  readonly name: string;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
  readonly lastState?: { readonly terminated?: object };
}

/** A pod as far as its logs are concerned. */
export interface RawPod {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
    readonly ephemeralContainers?: readonly { readonly name: string }[];
  };
  readonly status?: {
    readonly containerStatuses?: readonly Status[];
    readonly initContainerStatuses?: readonly Status[];
    readonly ephemeralContainerStatuses?: readonly Status[];
  };
}

export type Chosen =
  | { readonly kind: 'chosen'; readonly container: string }
  | { readonly kind: 'unclear'; readonly containers: readonly string[] };

/** Unclear with the names of all when none is named and several could be meant, or when the pod has none of that name (LV-17). */
export function chooseContainer({ spec = {} }: RawPod, wanted: string | null): Chosen {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const [only] = containers;
  if (wanted !== null && names.includes(wanted)) return { kind: 'chosen', container: wanted };
  if (wanted === null && only !== undefined && containers.length === 1) {
    return { kind: 'chosen', container: only.name };
  }
  return { kind: 'unclear', containers: names };
}

/** A sentence where the log cannot exist; null where it may. */
export function whyNoLog(pod: RawPod, container: string, previous: boolean): string | null {
  if (pod.spec?.nodeName === undefined) return 'the pod has not been scheduled to a node yet';
  const {
    containerStatuses = [],
    initContainerStatuses = [],
    ephemeralContainerStatuses = [],
  } = pod.status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    ({ name }) => name === container,
  );
  if (status === undefined) return 'the container has not been started yet';
  const ended = status.lastState?.terminated !== undefined;
  if (previous) return ended ? null : 'the container has no previous run';
  const waiting = status.state?.waiting;
  return waiting === undefined || ended
    ? null
    : `the container waits to start: ${waiting.reason ?? 'no reason given'}`;
}
