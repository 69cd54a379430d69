/** A statechart as nodes and edges: what its drawings, its Mermaid text and the visualizer are made of. Pure. */

import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

export interface DiagramNode {
  /** Path of keys from the machine's id on, such as `cluster.ingest.idle`. */
  readonly id: string;
  readonly key: string;
  /** Null for the machine itself. */
  readonly parent: string | null;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  /** The child it begins in; null unless compound. */
  readonly initial: string | null;
  /** Names of the actors that run while it is active. */
  readonly invokes: readonly string[];
  readonly entry: readonly string[];
  readonly exit: readonly string[];
}

export interface DiagramEdge {
  readonly id: string;
  readonly source: string;
  /** Null for a transition that stays where it is and only runs actions. */
  readonly target: string | null;
  /** What takes it: an event of ours, the end of invoked work, a delay, or nothing but its guard. */
  readonly kind: 'event' | 'done' | 'error' | 'after' | 'always';
  /** In words: the event's name, `done <actor>`, `failed <actor>`, `after <delay>` or `always`. */
  readonly event: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  readonly reenter: boolean;
}

export interface Diagram {
  readonly id: string;
  /** Parents before children, siblings in the order in which they are written. */
  readonly nodes: readonly DiagramNode[];
  readonly edges: readonly DiagramEdge[];
}

/** The diagram of a machine; work that is only declared is named, not run. */
export const diagramOf = (machine: AnyStateMachine): Diagram => ({
  id: machine.id,
  nodes: descend(machine.root).map(nodeOf),
  edges: [...edgesOf(machine).values()],
});

/** The edge of every transition definition of this machine: whoever sees one taken can say which arrow that was. */
export const edgesOf = (machine: AnyStateMachine): Map<AnyTransitionDefinition, DiagramEdge> =>
  new Map(
    descend(machine.root).flatMap((state) =>
      transitionsOf(state).map(
        (transition, index) => [transition, edgeOf(state, transition, index)] as const,
      ),
    ),
  );

/**
 * The guards that were asked before a taken transition was, in order: those of the transitions that come first in its
 * state for the same event, which did not hold, and its own, which did.
 */
export function guardsAsked(
  taken: AnyTransitionDefinition,
): { readonly name: string; readonly held: boolean }[] {
  const source = taken.source as AnyStateNode;
  const rivals =
    taken.eventType === '' ? (source.always ?? []) : (source.transitions.get(taken.eventType) ?? []);
  const before = rivals.slice(0, Math.max(0, rivals.indexOf(taken)));
  return [...before, taken].flatMap((one) => {
    const name = guardName(one.guard);
    return name === null ? [] : [{ name, held: one === taken }];
  });
}

/** The whole tree below a state, itself first. */
const descend = (state: AnyStateNode): AnyStateNode[] => [
  state,
  ...Object.values(state.states).flatMap((child) => descend(child as AnyStateNode)),
];

const transitionsOf = (state: AnyStateNode): AnyTransitionDefinition[] => [
  ...[...state.transitions.values()].flat(),
  ...(state.always ?? []),
];

const pathOf = (state: AnyStateNode): string => [state.machine.id, ...state.path].join('.');

const nodeOf = (state: AnyStateNode): DiagramNode => ({
  id: pathOf(state),
  key: state.key,
  parent: state.parent === undefined ? null : pathOf(state.parent),
  type: state.type,
  initial: state.initial?.target[0] === undefined ? null : pathOf(state.initial.target[0] as AnyStateNode),
  invokes: state.invoke.map(({ src }) => (typeof src === 'string' ? src : 'inline')),
  entry: state.entry.flatMap(actionNames),
  exit: state.exit.flatMap(actionNames),
});

function edgeOf(state: AnyStateNode, transition: AnyTransitionDefinition, index: number): DiagramEdge {
  const [target] = (transition.target ?? []) as readonly AnyStateNode[];
  return {
    id: `${pathOf(state)}#${index}`,
    source: pathOf(state),
    target: target === undefined ? null : pathOf(target),
    ...triggerOf(transition),
    guard: guardName(transition.guard),
    actions: transition.actions.flatMap((action) => actionNames(action)),
    reenter: transition.reenter,
  };
}

const DONE = 'xstate.done.actor.';
const FAILED = 'xstate.error.actor.';
const AFTER = 'xstate.after.';

/** What takes a transition, in words without a ticket or an id in them. */
function triggerOf(transition: AnyTransitionDefinition): Pick<DiagramEdge, 'kind' | 'event'> {
  const { eventType, source } = transition;
  const actorOf = (id: string): string => {
    const invoked = (source as AnyStateNode).invoke.find((one) => one.id === id);
    return typeof invoked?.src === 'string' ? invoked.src : id;
  };
  if (eventType === '') return { kind: 'always', event: 'always' };
  if (eventType.startsWith(DONE))
    return { kind: 'done', event: `done ${actorOf(eventType.slice(DONE.length))}` };
  if (eventType.startsWith(FAILED)) {
    return { kind: 'error', event: `failed ${actorOf(eventType.slice(FAILED.length))}` };
  }
  if (eventType.startsWith(AFTER))
    return { kind: 'after', event: `after ${eventType.slice(AFTER.length).split('.')[0]}` };
  return { kind: 'event', event: eventType };
}

/** The name under which a guard was set up; `inline` for a function of its own, null without one. */
function guardName(guard: unknown): string | null {
  if (guard === undefined || guard === null) return null;
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object' && 'type' in guard) return String(guard.type);
  return typeof guard === 'function' && guard.name !== '' ? guard.name : 'inline';
}

/** An assignment is named after the fields that it sets: that says more than `assign`. */
function actionNames(action: unknown): string[] {
  if (typeof action === 'string') return [action];
  if (action === null || (typeof action !== 'object' && typeof action !== 'function')) return [];
  const type = 'type' in action ? String(action.type) : '';
  // XState starts and stops invoked work by actions of its own, which `invokes` says already.
  if (type === 'xstate.spawnChild' || type === 'xstate.stopChild') return [];
  if (type === 'xstate.assign' && 'assignment' in action) {
    const { assignment } = action;
    return typeof assignment === 'object' && assignment !== null
      ? [`set ${Object.keys(assignment).join(', ')}`]
      : ['set'];
  }
  if (type === 'xstate.enqueueActions') return ['computed'];
  return [type.startsWith('xstate.') ? type.slice('xstate.'.length) : type || 'inline'];
}
