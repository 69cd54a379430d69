import type { LiveAnswer } from '../actors/liveReads.ts';
import type { Answer } from './answer.ts';
import { refuse } from './refusal.ts';

/** What became of a live read, as the API says it (LV-20 to LV-26). An answer is never kept on the way. */
export function answerOf(answer: LiveAnswer): Answer {
  switch (answer.kind) {
    case 'answered':
      return {
        kind: 'json',
        status: 200,
        body: { data: answer.data },
        headers: { 'Cache-Control': 'no-store' },
      };
    case 'no_agent':
      return refuse(409, 'no_agent', 'the cluster has no agent');
    case 'agent_offline':
      return refuse(
        409,
        'agent_offline',
        `the agent of the cluster is not connected, ${seen(answer.lastSeenAt)}`,
      );
    case 'agent_too_old':
      return refuse(409, 'agent_too_old', `this read needs agent ${answer.required} or later`, {
        details: { required_version: answer.required, agent_version: answer.actual },
      });
    case 'agent_error':
      return refuse(502, 'agent_error', answer.message);
    case 'unreachable':
      return refuse(502, 'agent_unreachable', 'the agent of the cluster does not listen');
    case 'timeout':
      return refuse(504, 'agent_timeout', 'the agent of the cluster did not answer in time');
    case 'left':
    case 'unavailable':
      return refuse(
        503,
        'live_unavailable',
        'live reads are not available, the backend has no connection to NATS',
      );
  }
}

const seen = (at: Date | null): string =>
  at === null ? 'it was never seen' : `it was last seen at ${at.toISOString()}`;
