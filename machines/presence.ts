import type { AgentStatus, ClusterEvent, PresenceCheck } from './vocabulary.ts';
import { vocabulary } from './vocabulary.ts';

const saysConnected = ({ event }: { event: unknown }): boolean =>
  (event as { readonly output: AgentStatus }).output === 'connected';

function checkIn(event: ClusterEvent): PresenceCheck {
  if (event.type !== 'presence.check') throw new Error(`a check cannot begin with ${event.type}`);
  return { clusterId: event.clusterId, staleBefore: event.staleBefore };
}

/**
 * What the cluster's row says about its agent. A stored snapshot connects; `presence.check`, sent by the sweep over the
 * database, asks `markStale`. No timer of its own: delayed transitions are lost when a machine is restored.
 */
export const presenceRegion = vocabulary.createStateConfig({
  initial: 'unknown',
  on: {
    'snapshot.stored': { target: '.connected' },
    'presence.check': { target: '.checking' },
  },
  states: {
    unknown: {},
    connected: {},
    disconnected: {},
    checking: {
      invoke: {
        src: 'markStale',
        input: ({ event }) => checkIn(event),
        onDone: [{ guard: saysConnected, target: 'connected' }, { target: 'disconnected' }],
        // The row was not read, so nothing is known; the next sweep asks again.
        onError: { target: 'unknown' },
      },
    },
  },
});
