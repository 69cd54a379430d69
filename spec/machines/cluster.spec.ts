import assert from 'node:assert/strict';
import { initialTransition, type SnapshotFrom, transition } from 'xstate';
import { type ClusterMachine, clusterMachine } from '../../machines/cluster.ts';
import type { ClusterEvent, LiveOutcome, Outcome } from '../../machines/vocabulary.ts';
import { LIVE_LANES } from '../../machines/vocabulary.ts';

type State = SnapshotFrom<ClusterMachine>;
type Step = { readonly state: State; readonly said: unknown[]; readonly started: unknown[] };

const bare = (): State => initialTransition(clusterMachine)[0];

/** One step of the bare machine: nothing runs; what it would say and start comes back. */
function step(state: State, event: ClusterEvent | { type: string; output?: unknown; error?: unknown }): Step {
  const [next, actions] = transition(clusterMachine, state, event as ClusterEvent);
  const paramsOf = (type: string): Record<string, unknown>[] =>
    (actions as readonly { type: string; params: Record<string, unknown> }[])
      .filter((action) => action.type === type)
      .map((action) => action.params);
  return {
    state: next,
    said: paramsOf('xstate.emit').map((params) => params.event),
    started: paramsOf('xstate.spawnChild').map((params) => params.input),
  };
}

const arrive = (ticket: string): ClusterEvent => ({ type: 'snapshot.arrived', ticket });
const INVOKED = '0.cluster.ingest.syncing';
const synced = (output: Outcome) => ({ type: `xstate.done.actor.${INVOKED}`, output });
const crashed = { type: `xstate.error.actor.${INVOKED}`, error: new Error('bug') };
const ask = (ticket: string): ClusterEvent => ({ type: 'live.asked', ticket, askedAt: 1 });
const answered = (ticket: string, output: LiveOutcome) => ({
  type: `xstate.done.actor.live.${ticket}`,
  output,
});

describe('the cluster machine', () => {
  describe('ingest', () => {
    it('starts the first snapshot at once and lets the next ones wait in order', () => {
      const first = step(bare(), arrive('a'));
      assert.equal(first.state.value.ingest, 'syncing');
      assert.deepEqual(first.started, [{ ticket: 'a' }]);
      const second = step(step(first.state, arrive('b')).state, arrive('c'));
      assert.deepEqual(second.started, []);
      assert.equal(second.state.context.syncing, 'a');
      assert.deepEqual(second.state.context.snapshots, ['b', 'c']);
    });

    it('says how a snapshot ended, once, and goes on with the next', () => {
      const waiting = step(step(bare(), arrive('a')).state, arrive('b')).state;
      const { state, said, started } = step(waiting, synced({ outcome: 'superseded' }));
      assert.deepEqual(said, [{ type: 'sync.settled', ticket: 'a', outcome: { outcome: 'superseded' } }]);
      assert.deepEqual(started, [{ ticket: 'b' }]);
      assert.equal(state.context.syncing, 'b');
      assert.deepEqual(state.context.snapshots, []);
    });

    it('takes a crash of the work as failed and goes on with the next', () => {
      const waiting = step(step(bare(), arrive('a')).state, arrive('b')).state;
      const { said, started } = step(waiting, crashed);
      assert.deepEqual(said, [
        { type: 'sync.settled', ticket: 'a', outcome: { outcome: 'failed', reason: 'crashed' } },
      ]);
      assert.deepEqual(started, [{ ticket: 'b' }]);
    });

    it('is idle with no ticket left when the queue is empty', () => {
      const { state } = step(step(bare(), arrive('a')).state, synced({ outcome: 'stored' }));
      assert.equal(state.value.ingest, 'idle');
      assert.deepEqual(state.context, { snapshots: [], syncing: null, reads: [], lanes: [] });
    });
  });

  describe('presence', () => {
    const check: ClusterEvent = { type: 'presence.check', clusterId: 'c1', staleBefore: 5 };
    const stale = (output: string) => ({ type: 'xstate.done.actor.0.cluster.presence.checking', output });

    it('knows nothing before the first sync and is connected by a stored one only', () => {
      assert.equal(bare().value.presence, 'unknown');
      const syncing = step(bare(), arrive('a')).state;
      assert.equal(step(syncing, synced({ outcome: 'stored' })).state.value.presence, 'connected');
      assert.equal(step(syncing, synced({ outcome: 'superseded' })).state.value.presence, 'unknown');
    });

    it('asks at a check and shows what the row then holds', () => {
      const checking = step(bare(), check);
      assert.equal(checking.state.value.presence, 'checking');
      assert.deepEqual(checking.started, [{ clusterId: 'c1', staleBefore: 5 }]);
      assert.equal(step(checking.state, stale('connected')).state.value.presence, 'connected');
      assert.equal(step(checking.state, stale('disconnected')).state.value.presence, 'disconnected');
    });

    it('knows nothing when the row could not be read', () => {
      const checking = step(bare(), check).state;
      const failed = { type: 'xstate.error.actor.0.cluster.presence.checking', error: new Error('away') };
      assert.equal(step(checking, failed).state.value.presence, 'unknown');
    });

    it('does not disturb a sync that is under way', () => {
      const both = step(step(bare(), arrive('a')).state, check).state;
      assert.deepEqual(both.value, { ingest: 'syncing', liveReads: 'admitting', presence: 'checking' });
    });
  });

  describe('live reads', () => {
    const full = (): State => {
      let state = bare();
      for (let n = 1; n <= LIVE_LANES; n += 1) state = step(state, ask(`${n}`)).state;
      return state;
    };

    it('fly in four lanes; the fifth waits for a free one', () => {
      const state = full();
      assert.deepEqual(state.context.lanes, ['1', '2', '3', '4']);
      const fifth = step(state, ask('5'));
      assert.deepEqual(fifth.started, []);
      assert.deepEqual(fifth.state.context.reads, [{ ticket: '5', askedAt: 1 }]);
      const freed = step(fifth.state, answered('3', 'answered'));
      assert.deepEqual(freed.said, [{ type: 'live.settled', ticket: '3', outcome: 'answered' }]);
      assert.deepEqual(freed.started, [{ ticket: '5', askedAt: 1 }]);
      assert.deepEqual(freed.state.context.lanes, ['1', '2', '4', '5']);
      assert.deepEqual(freed.state.context.reads, []);
    });

    it('free their lane when the read crashes', () => {
      const { said, state } = step(full(), { type: 'xstate.error.actor.live.2', error: new Error('bug') });
      assert.deepEqual(said, [{ type: 'live.settled', ticket: '2', outcome: 'failed' }]);
      assert.deepEqual(state.context.lanes, ['1', '3', '4']);
    });

    it('wait for no sync', () => {
      const { started } = step(step(bare(), arrive('a')).state, ask('1'));
      assert.deepEqual(started, [{ ticket: '1', askedAt: 1 }]);
    });
  });
});
