/** One entry of a rollout history, from a ReplicaSet or a ControllerRevision. */

import { wireTime } from '../../rules/kube/time.ts';
import type { Revision } from '../../wire/kubeQuery.ts';

/** A revision with its template as the cluster has it. */
export type HistoryItem = Omit<Revision, 'pod_template'> & { readonly template: unknown };

interface Template {
  readonly spec?: { readonly containers?: readonly { readonly name?: string; readonly image?: string }[] };
}

/** ReplicaSet or ControllerRevision, as far as a history looks into it. */
export interface RawRevision {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly spec?: { readonly replicas?: number; readonly template?: Template };
  readonly status?: { readonly replicas?: number };
  readonly revision?: number;
  readonly data?: { readonly spec?: { readonly template?: Template & { readonly $patch?: string } } };
}

const REPLICA_SET_REVISIONS = ['deployment.kubernetes.io/revision', 'rollout.argoproj.io/revision'];
const REPLICA_SET_HASHES = ['rollouts-pod-template-hash', 'pod-template-hash'];
const CONTROLLER_HASHES = ['controller-revision-hash', 'controller.kubernetes.io/hash'];

const firstOf = (map: Readonly<Record<string, string>> | undefined, keys: readonly string[]): string | null =>
  keys.map((key) => map?.[key]).find((value) => value !== undefined) ?? null;

const shared = ({ metadata }: RawRevision, template: Template | undefined) => ({
  name: metadata.name,
  created: wireTime(metadata.creationTimestamp),
  containers: (template?.spec?.containers ?? []).map(({ name = '', image = '' }) => ({ name, image })),
});

const whole = (text: string | null): number => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : 0);

export const replicaSetRevision = (item: RawRevision): HistoryItem => ({
  revision: whole(firstOf(item.metadata.annotations, REPLICA_SET_REVISIONS)),
  ...shared(item, item.spec?.template),
  replicas: item.status?.replicas ?? item.spec?.replicas ?? null,
  template_hash: firstOf(item.metadata.labels, REPLICA_SET_HASHES),
  template: item.spec?.template ?? null,
});

/** Its template is the patch that a rollback applies; the patch directive is no part of it. */
export function controllerRevision(item: RawRevision): HistoryItem {
  const patch = item.data?.spec?.template;
  const { $patch: _, ...template } = patch ?? {};
  return {
    revision: item.revision ?? 0,
    ...shared(item, patch),
    replicas: null,
    template_hash: firstOf(item.metadata.labels, CONTROLLER_HASHES),
    template: patch === undefined ? null : template,
  };
}
