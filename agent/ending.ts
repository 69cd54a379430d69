/** How an agent ended. */
export type AgentEnd =
  | { readonly kind: 'stopped' }
  /** It can't run with its settings, its state or its record in the backend; `message` is for the operator. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Something broke that a restart may mend. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The call to end, and why: the first reason counts. */
export interface Ending {
  readonly signal: AbortSignal;
  /** Resolves when the end was called for. */
  readonly called: Promise<void>;
  end(how: AgentEnd): void;
  how(): AgentEnd | null;
}

export function createEnding(): Ending {
  const controller = new AbortController();
  const { promise: called, resolve } = Promise.withResolvers<void>();
  let first: AgentEnd | null = null;
  return {
    signal: controller.signal,
    called,
    end(how) {
      first ??= how;
      controller.abort();
      resolve();
    },
    how: () => first,
  };
}
