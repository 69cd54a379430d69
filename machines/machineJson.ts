import type { AnyStateMachine } from 'xstate';

/**
 * A machine's configuration as XState takes it, in JSON: the functions in it are replaced by their names, so that an
 * editor of statecharts shows the same states, guards and invoked actors. It can be drawn and stepped, not run.
 */
export const machineJson = (machine: AnyStateMachine): unknown => plain(machine.config);

function plain(value: unknown): unknown {
  if (typeof value === 'function') return named(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !OMITTED.has(key))
      .map(([key, inner]) => [key, plain(inner)]),
  );
}

/** What a function computes from context and events says nothing as a name. */
const OMITTED = new Set(['input', 'params', 'output', 'version', 'schemas']);

const named = (made: object): { type: string } => ({
  type:
    'type' in made ? String(made.type) : 'name' in made && made.name !== '' ? String(made.name) : 'inline',
});
