import type { Answer } from './answer.ts';
import { badRequest, type Cause, invalid } from './status.ts';

/** The options of a log request (v1 PodLogOptions) that this server honours; `follow` is not among them. */
export interface LogOptions {
  /** Empty when none was named. */
  readonly container: string;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | null;
  readonly limitBytes: number | null;
  readonly sinceSeconds: number | null;
  readonly sinceMs: number | null;
}

/** Reads and validates the options as the API server does: 400 for what can't be parsed, 422 for what is out of range. */
export function readLogOptions(pod: string, query: URLSearchParams): LogOptions | Answer {
  const numbers: { [name: string]: number | null } = {};
  for (const name of ['tailLines', 'limitBytes', 'sinceSeconds']) {
    const text = query.get(name) ?? '';
    if (!/^-?\d*$/.test(text)) {
      return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    }
    numbers[name] = text === '' ? null : Number(text);
  }
  const { tailLines = null, limitBytes = null, sinceSeconds = null } = numbers;
  const since = query.get('sinceTime') ?? '';
  const sinceMs = since === '' ? null : timeMs(since);
  if (Number.isNaN(sinceMs)) {
    const quoted = JSON.stringify(since);
    return badRequest(
      `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
    );
  }
  const causes: Cause[] = [
    ...outOfRange('tailLines', tailLines, 0),
    ...outOfRange('limitBytes', limitBytes, 1),
    ...outOfRange('sinceSeconds', sinceSeconds, 1),
  ];
  if (sinceSeconds !== null && sinceMs !== null) {
    const message = 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified';
    causes.push({ reason: 'FieldValueForbidden', message, field: '[]' });
  }
  if (causes.length > 0) return invalid('PodLogOptions', { name: pod }, causes);
  return {
    container: query.get('container') ?? '',
    previous: isOn(query.get('previous')),
    timestamps: isOn(query.get('timestamps')),
    tailLines,
    limitBytes,
    sinceSeconds,
    sinceMs,
  };
}

/**
 * The API server hands the time on to the kubelet in whole seconds, so lines of the same second come again to a client
 * that asks for what is newer than its last line (measured: 22:00:01.9 returns a line of 22:00:01.5).
 */
function timeMs(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  return isTime ? Math.floor(Date.parse(text) / 1000) * 1000 : Number.NaN;
}

/** Any value but these turns a switch on, also an unreadable one. */
function isOn(value: string | null): boolean {
  return value !== null && !['false', '0', 'False', 'FALSE', 'F', 'f'].includes(value);
}

function outOfRange(field: string, value: number | null, least: 0 | 1): Cause[] {
  if (value === null || value >= least) return [];
  const bound = least === 0 ? 'greater than or equal to 0' : 'greater than 0';
  return [{ reason: 'FieldValueInvalid', message: `Invalid value: ${value}: must be ${bound}`, field }];
}
