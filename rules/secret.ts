// The symbol that util.inspect looks for; rules import no I/O module.
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** A secret of the configuration. It prints as a placeholder wherever it lands: in a log line, JSON, a template. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[hidden]';
  }

  toJSON(): string {
    return '[hidden]';
  }

  [INSPECT](): string {
    return '[hidden]';
  }
}
