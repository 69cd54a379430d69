/** Answers the backend's live reads on the agent's command subject (LV-02; contracts.md section 3). */

import { isDnsLabel, isDnsSubdomain, isRevisionKind, parseSince } from '../../rules/query/live.ts';
import { isManifestKind } from '../../rules/scrub/manifest.ts';
import type { KubeQuery, KubeReply } from '../../wire/kubeQuery.ts';
import { checkKubeQuery, MAX_QUERY_BYTES, MAX_REPLY_BYTES, MAX_TAIL } from '../../wire/kubeQuery.ts';
import { HEADER_ROOM_BYTES } from '../../wire/limits.ts';
import { commandSubject } from '../../wire/subjects.ts';
import type { KubeApi } from '../kubeApi.ts';
import type { RequestBounds } from '../kubeRequest.ts';
import { REQUEST_BOUNDS } from '../kubeRequest.ts';
import type { Log } from '../log.ts';
import type { NatsLink } from '../natsLink.ts';
import { mayReadLive } from './access.ts';
import { failed, failureOf } from './failure.ts';
import { readLogs } from './logs.ts';
import { readManifest } from './manifest.ts';
import { readRevisions } from './revisions.ts';

/** Reads at once; the backend sends four for each of its replicas. */
const MAX_READS = 16;
/** Below the backend's own limit, so that its asker still hears why. */
const READ_DEADLINE_MS = 14_000;

/** Bounds of requests to the API server for a reader who waits: no second attempt, and no list of a whole cluster. */
export const LIVE_BOUNDS: RequestBounds = {
  ...REQUEST_BOUNDS,
  attempts: 1,
  attemptMs: 12_000,
  maxBytes: 16 * 1024 * 1024,
};

export interface LiveServer {
  /** Takes no more requests and ends those under way; resolves when they have ended. */
  stop(): Promise<void>;
}

/**
 * Serves from now on. A message that is no request of ours, or without a reply subject, is dropped without an answer: it may
 * not come from the backend (contracts.md section 7).
 */
export function serveLive(o: {
  readonly link: Pick<NatsLink, 'answer' | 'maxPayload'>;
  readonly agentId: string;
  /** With one attempt and small answers: a reader waits. */
  readonly api: KubeApi;
  readonly log: Log;
  readonly now?: () => Date;
}): LiveServer {
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  const now = o.now ?? (() => new Date());

  const read = async (query: KubeQuery): Promise<KubeReply> => {
    const fault = faultOf(query);
    if (fault !== null) return failed('bad_request', fault);
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(READ_DEADLINE_MS)]);
    try {
      if (!(await mayReadLive(o.api, query.namespace, signal))) {
        return failed('not_permitted', 'the read-only tier is not bound in this cluster');
      }
      const asked = { api: o.api, query, at: now(), signal };
      if (query.op === 'manifest') return await readManifest(asked);
      return await (query.op === 'revisions' ? readRevisions(asked) : readLogs(asked));
    } catch (err) {
      o.log.warn({ err, op: query.op }, 'a live read failed');
      return failureOf(err, query);
    }
  };

  const serve = async (query: KubeQuery): Promise<Uint8Array> => {
    const { op, kind, namespace, name, actor } = query;
    const reply = await read(query);
    const outcome = reply.ok ? 'answered' : reply.error.code;
    o.log.info({ op, kind: kind ?? 'Pod', namespace, name, actor, outcome }, 'live read');
    const bytes = Buffer.from(JSON.stringify(reply));
    const limit = Math.min(MAX_REPLY_BYTES, o.link.maxPayload() - HEADER_ROOM_BYTES);
    if (bytes.length <= limit) return bytes;
    return Buffer.from(JSON.stringify(failed('too_large', 'the answer is larger than a message may be')));
  };

  const unsubscribe = o.link.answer(commandSubject(o.agentId), async (bytes) => {
    const query = parse(bytes);
    if (query === null || stopping.signal.aborted) {
      o.log.debug({ bytes: bytes.length }, 'a command that is none was dropped');
      return null;
    }
    if (running.size >= MAX_READS) {
      return Buffer.from(JSON.stringify(failed('internal', 'the agent reads as much as it may already')));
    }
    const serving = serve(query);
    running.add(serving);
    try {
      return await serving;
    } finally {
      running.delete(serving);
    }
  });

  return {
    async stop() {
      unsubscribe();
      stopping.abort();
      await Promise.allSettled(running);
    },
  };
}

function parse(bytes: Uint8Array): KubeQuery | null {
  if (bytes.length > MAX_QUERY_BYTES) return null;
  try {
    const checked = checkKubeQuery(JSON.parse(new TextDecoder().decode(bytes)));
    return checked.ok ? checked.value : null;
  } catch {
    return null;
  }
}

/** What is wrong with a request of the right shape; the backend has checked it before, which proves nothing here. */
function faultOf(query: KubeQuery): string | null {
  if (!isDnsLabel(query.namespace)) return 'the namespace is not a DNS-1123 label';
  if (!isDnsSubdomain(query.name)) return 'the name is not a DNS-1123 subdomain';
  if (query.op === 'manifest') return isManifestKind(query.kind ?? '') ? null : 'this kind is never read';
  if (query.op === 'revisions') return isRevisionKind(query.kind ?? '') ? null : 'this kind has no revisions';
  if (query.container !== null && !isDnsLabel(query.container))
    return 'the container is not a DNS-1123 label';
  if (query.tail === null || query.tail < 1 || query.tail > MAX_TAIL)
    return `tail is not in 1 to ${MAX_TAIL}`;
  if (query.since_time !== null && parseSince(query.since_time) === null) return 'since_time is no time';
  return null;
}
