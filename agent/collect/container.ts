/** Containers of pods and of pod templates. */

import type { Demand } from '../../rules/kube/podResources.ts';
import { canonicalQuantities } from '../../rules/kube/quantity.ts';
import type { PodContainer, TemplateContainer } from '../../wire/kinds/shapes.ts';
import { freeTextOf } from './object.ts';

/** core/v1 Container. Of its environment, arguments and mounts nothing is read here. */
export interface RawContainer {
  readonly name: string;
  readonly image?: string | null;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string | null;
  readonly resources?: Demand | null;
  readonly ports?:
    | readonly {
        readonly name?: string | null;
        readonly containerPort: number;
        readonly protocol?: string | null;
      }[]
    | null;
}

/** core/v1 PodSpec, the part that pods and templates share. */
export interface RawContainers {
  readonly containers?: readonly RawContainer[] | null;
  readonly initContainers?: readonly RawContainer[] | null;
  readonly ephemeralContainers?: readonly RawContainer[] | null;
}

/** core/v1 PodTemplateSpec. */
export interface RawTemplate {
  readonly spec?: (RawContainers & { readonly serviceAccountName?: string | null }) | null;
}

/** core/v1 ContainerStatus. */
export interface RawContainerStatus {
  readonly name: string;
  readonly ready?: boolean | null;
  readonly restartCount?: number | null;
  readonly state?: RawContainerState | null;
  readonly lastState?: RawContainerState | null;
}

/** One of the three is set. */
export interface RawContainerState {
  readonly waiting?: { readonly reason?: string | null } | null;
  readonly running?: object | null;
  readonly terminated?: { readonly reason?: string | null; readonly exitCode?: number | null } | null;
}

/** True for an init container that keeps running beside the main ones. */
export const isSidecar = (container: RawContainer): boolean => container.restartPolicy === 'Always';

/** Main containers in their order, then init containers and sidecars in theirs, then ephemeral ones. */
export function templateContainers(spec: RawContainers | null | undefined): TemplateContainer[] {
  return [
    ...(spec?.containers ?? []).map((container) => fromSpec(container, 'main')),
    ...(spec?.initContainers ?? []).map((container) =>
      fromSpec(container, isSidecar(container) ? 'sidecar' : 'init'),
    ),
    ...(spec?.ephemeralContainers ?? []).map((container) => fromSpec(container, 'ephemeral')),
  ];
}

const fromSpec = (container: RawContainer, role: string): TemplateContainer => ({
  name: container.name,
  image: container.image ?? '',
  role,
  requests: canonicalQuantities(container.resources?.requests),
  limits: canonicalQuantities(container.resources?.limits),
  ports: (container.ports ?? []).map((port) => ({
    name: port.name || null,
    container_port: port.containerPort,
    protocol: port.protocol ?? 'TCP',
  })),
});

/** The same list with what the kubelet reports of each; names are unique over all roles of a pod. */
export function podContainers(
  spec: RawContainers | null | undefined,
  statuses: readonly RawContainerStatus[],
): PodContainer[] {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  return templateContainers(spec).map((container) => {
    const status = byName.get(container.name);
    const { waiting, running, terminated } = status?.state ?? {};
    const last = status?.lastState?.terminated;
    return {
      ...container,
      ready: status?.ready ?? false,
      restart_count: status?.restartCount ?? 0,
      state: waiting ? 'waiting' : running ? 'running' : terminated ? 'terminated' : null,
      reason: freeTextOf(waiting?.reason || terminated?.reason),
      exit_code: terminated?.exitCode ?? null,
      last_reason: freeTextOf(last?.reason),
      last_exit_code: last?.exitCode ?? null,
    };
  });
}
