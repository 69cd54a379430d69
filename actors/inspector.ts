/**
 * Watches the actors for the visualizer (design section 4): where each one is, what waits, what happened last. Names of
 * clusters, states, events and labels only; no ticket, no payload (D5).
 */

import type { AnyStateMachine, AnyTransitionDefinition, InspectionEvent, StateValue } from 'xstate';
import type { DiagramEdge } from '../machines/diagram.ts';
import { edgesOf, guardsAsked } from '../machines/diagram.ts';
import type { ClusterContext } from '../machines/vocabulary.ts';
import type { Followers, Following } from './followers.ts';
import { createFollowers } from './followers.ts';
import { CodeTable, KEPT_TRANSITIONS, TransitionLog } from './transitionLog.ts';

/** An actor as it is now. */
export interface ActorView {
  /** Environment id and cluster slug, as `clusterKey` of the ingress makes it. */
  readonly key: string;
  /** The state of each region, by the region's name. */
  readonly state: Readonly<Record<string, string>>;
  /** Snapshots that wait behind the one under way. */
  readonly queue: number;
  readonly reads_waiting: number;
  readonly lanes_busy: number;
  /** Since when a snapshot is being stored; null when none is. */
  readonly syncing_since: string | null;
  /** Of the last snapshot that ended, with its reason: `stored`, `failed: database`. */
  readonly last_outcome: string | null;
  readonly last_outcome_at: string | null;
  /** Snapshots in a row that were not stored. */
  readonly failures: number;
  /** Transitions since the process started. */
  readonly transitions: number;
  readonly crashes: number;
  readonly changed_at: string;
}

/** An arrow that was taken. */
export interface TransitionView {
  /** Counts an actor's transitions from 1 on. */
  readonly number: number;
  readonly at: string;
  /** Id of the diagram's edge. */
  readonly edge: string;
  readonly region: string;
  readonly event: string;
  readonly guards: readonly { readonly name: string; readonly held: boolean }[];
  readonly from: string;
  readonly to: string;
  /** What invoked work ended with, where that took the arrow. */
  readonly outcome: string | null;
}

export interface Inspector {
  /** An observer for the actor of this key, to be given to `createActor` as `inspect`. */
  watch(key: string): (event: InspectionEvent) => void;
  /** The actor died; the next one under its key goes on with its history. */
  crashed(key: string): void;
  list(): ActorView[];
  /** One actor with its last transitions, newest first; null when it was never heard of. */
  get(key: string): { readonly actor: ActorView; readonly transitions: TransitionView[] } | null;
  /** Follows all changes from now on; null when too many follow already. */
  follow(): Following | null;
  /** Ends all following, for good. */
  close(): void;
}

interface Arrow {
  readonly edge: DiagramEdge;
  readonly region: string;
  readonly guards: TransitionView['guards'];
}

interface Watched {
  readonly key: string;
  readonly log: TransitionLog;
  state: number;
  queue: number;
  readsWaiting: number;
  lanesBusy: number;
  syncingSince: number;
  lastOutcome: number;
  lastOutcomeAt: number;
  failures: number;
  crashes: number;
  changedAt: number;
}

/** Outcome code of a transition without one. */
const NONE = 0;
const INGEST = 'ingest';

export function createInspector(o: { readonly now: () => Date }): Inspector {
  const actors = new Map<string, Watched>();
  const states = new CodeTable<string, ActorView['state']>();
  const outcomes = new CodeTable<string, string | null>();
  const arrows = new CodeTable<AnyTransitionDefinition, Arrow>();
  const edges = new WeakMap<AnyStateMachine, Map<AnyTransitionDefinition, DiagramEdge>>();
  const unborn = states.code('', () => ({}));
  outcomes.code('', () => null);

  const stateCode = (value: StateValue): number => states.code(textOf(value), () => regionsOf(value));
  const arrowCode = (taken: AnyTransitionDefinition): number =>
    arrows.code(taken, () => {
      const { machine, path } = taken.source;
      const known = edges.get(machine) ?? edgesOf(machine);
      edges.set(machine, known);
      const edge = known.get(taken);
      if (edge === undefined) throw new Error('a transition that its machine does not have');
      return { edge, region: path[0] ?? machine.id, guards: guardsAsked(taken) };
    });

  const watched = (key: string): Watched => {
    const known = actors.get(key);
    if (known !== undefined) return known;
    const made: Watched = {
      key,
      log: new TransitionLog(),
      state: unborn,
      queue: 0,
      readsWaiting: 0,
      lanesBusy: 0,
      syncingSince: 0,
      lastOutcome: NONE,
      lastOutcomeAt: 0,
      failures: 0,
      crashes: 0,
      changedAt: o.now().getTime(),
    };
    actors.set(key, made);
    return made;
  };

  const see = (
    actor: Watched,
    taken: AnyTransitionDefinition,
    to: number,
    event: object,
    at: number,
  ): void => {
    const arrow = arrowCode(taken);
    const { edge, region } = arrows.value(arrow);
    const label = edge.kind === 'done' ? outcomeOf(event) : edge.kind === 'error' ? 'crashed' : '';
    const outcome = outcomes.code(label, () => label);
    actor.log.add({ at, arrow, from: actor.state, to, outcome });
    if (region !== INGEST || outcome === NONE) return;
    actor.lastOutcome = outcome;
    actor.lastOutcomeAt = at;
    actor.failures = WELL.has(label) ? 0 : actor.failures + 1;
  };

  const takeContext = (actor: Watched, context: ClusterContext, at: number): void => {
    actor.queue = context.snapshots.length;
    actor.readsWaiting = context.reads.length;
    actor.lanesBusy = context.lanes.length;
    if (context.syncing === null) actor.syncingSince = 0;
    else if (actor.syncingSince === 0) actor.syncingSince = at;
  };

  const viewOf = (actor: Watched): ActorView => ({
    key: actor.key,
    state: states.value(actor.state),
    queue: actor.queue,
    reads_waiting: actor.readsWaiting,
    lanes_busy: actor.lanesBusy,
    syncing_since: isoOrNull(actor.syncingSince),
    last_outcome: outcomes.value(actor.lastOutcome),
    last_outcome_at: isoOrNull(actor.lastOutcomeAt),
    failures: actor.failures,
    transitions: actor.log.total,
    crashes: actor.crashes,
    changed_at: new Date(actor.changedAt).toISOString(),
  });

  const newest = ({ log }: Watched, count: number): TransitionView[] =>
    log.newest(count).map(({ at, arrow, from, to, outcome }, age) => {
      const { edge, region, guards } = arrows.value(arrow);
      return {
        number: log.total - age,
        at: new Date(at).toISOString(),
        edge: edge.id,
        region,
        event: edge.event,
        guards,
        from: states.value(from)[region] ?? '',
        to: states.value(to)[region] ?? '',
        outcome: outcomes.value(outcome),
      };
    });

  const followers: Followers<Watched> = createFollowers({
    position: ({ log }) => log.total,
    view: (actor, since) => ({ ...viewOf(actor), recent: newest(actor, actor.log.total - since) }),
  });

  return {
    watch(key) {
      const actor = watched(key);
      return (event) => {
        if (event.type === '@xstate.snapshot') {
          // Where it begins; all later states come with microsteps.
          const { snapshot } = event;
          if (event.event.type !== 'xstate.init' || !('value' in snapshot)) return;
          followers.touch(actor);
          actor.state = stateCode(snapshot.value as StateValue);
          actor.changedAt = o.now().getTime();
        } else if (event.type === '@xstate.microstep' && event._transitions.length > 0) {
          const { value, context } = event.snapshot as unknown as {
            readonly value: StateValue;
            readonly context: ClusterContext;
          };
          followers.touch(actor);
          const at = o.now().getTime();
          const to = stateCode(value);
          for (const taken of event._transitions) see(actor, taken, to, event.event, at);
          takeContext(actor, context, at);
          actor.state = to;
          actor.changedAt = at;
        }
      };
    },
    crashed(key) {
      const actor = watched(key);
      followers.touch(actor);
      actor.crashes += 1;
      actor.failures += 1;
      actor.lastOutcome = outcomes.code('crashed', () => 'crashed');
      actor.lastOutcomeAt = o.now().getTime();
      actor.changedAt = actor.lastOutcomeAt;
      Object.assign(actor, { queue: 0, readsWaiting: 0, lanesBusy: 0, syncingSince: 0 });
    },
    list: () => [...actors.values()].map(viewOf),
    get(key) {
      const actor = actors.get(key);
      return actor === undefined
        ? null
        : { actor: viewOf(actor), transitions: newest(actor, KEPT_TRANSITIONS) };
    },
    follow: () => followers.follow(actors.values()),
    close: () => followers.close(),
  };
}

/** Outcomes of snapshots that are no failure. */
const WELL: ReadonlySet<string> = new Set(['stored', 'superseded', 'ignored', 'abandoned']);

const isoOrNull = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

/** The word, or outcome and reason, that invoked work ended with; its detail stays out. */
function outcomeOf(event: object): string {
  const output = 'output' in event ? event.output : undefined;
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null || !('outcome' in output)) return '';
  return 'reason' in output ? `${output.outcome}: ${output.reason}` : String(output.outcome);
}

const textOf = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([key, inner]) => `${key}:${inner === undefined ? '' : textOf(inner)}`)
        .join(',');

const regionsOf = (value: StateValue): Readonly<Record<string, string>> =>
  typeof value === 'string'
    ? { [value]: value }
    : Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, inner === undefined ? '' : textOf(inner)]),
      );
