import type { Log } from '../../agent/log.ts';

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines for the spec to read. */
export function keepLog(): { log: Log; lines: Line[]; messages(): string[] } {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: { ...fields }, message });
    };
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    lines,
    messages: () => lines.map(({ message }) => message),
  };
}
