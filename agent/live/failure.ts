import type { KubeQuery, KubeReply, LiveData, LiveErrorCode } from '../../wire/kubeQuery.ts';
import type { KubeApi } from '../kubeApi.ts';
import { KubeError } from '../kubeError.ts';

/** A read under way: what is asked, over which API, until when. */
export interface LiveRead {
  readonly api: KubeApi;
  readonly query: KubeQuery;
  /** When it was asked. */
  readonly at: Date;
  readonly signal: AbortSignal;
}

export const answered = <D extends LiveData>(data: D): KubeReply<D> => ({ ok: true, data });

/** A reply that says why there is none; the message names no value of the cluster beyond what was asked for. */
export const failed = (code: LiveErrorCode, message: string): Extract<KubeReply, { ok: false }> => ({
  ok: false,
  error: { code, message },
});

/** What a failed request to the API server means for the read. */
export function failureOf(error: unknown, query: KubeQuery): KubeReply {
  const kind = query.kind ?? 'Pod';
  if (!(error instanceof KubeError)) return failed('internal', 'the agent could not read it');
  if (error.status === 403) {
    return failed('not_permitted', `the agent may not read it: the read-only tier lacks a right for ${kind}`);
  }
  if (error.status === 404) {
    // An API group that is not served answers in plain text, without a Status.
    return kind === 'Rollout' && error.reason !== 'NotFound'
      ? failed('rollouts_not_installed', 'Argo Rollouts is not installed in this cluster')
      : failed('not_found', `${kind} ${query.namespace}/${query.name} not found`);
  }
  if (error.reason === 'too_large') return failed('too_large', 'the answer of the API server is too large');
  return failed('internal', `the API server did not answer: ${error.reason ?? error.status}`);
}
