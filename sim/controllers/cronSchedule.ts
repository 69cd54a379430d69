const ranges: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];

function allowed(field: string, [low, high]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [span = '*', stepText] = part.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    const [from, to] = span === '*' ? [low, high] : span.split('-').map(Number);
    const last = to ?? (stepText === undefined ? from : high);
    for (let value = from ?? low; value <= (last ?? high); value += step) values.add(value);
  }
  return values;
}

/**
 * The next minute after `afterMs` that a five-field cron schedule names, in UTC. Numbers, `*`, lists, ranges and steps
 * are understood; when day of month and day of week are both given, one of them is enough, as cron has it. Throws when
 * no minute within a year fits.
 */
export function nextRunMs(schedule: string, afterMs: number): number {
  const fields = schedule.trim().split(/\s+/);
  const sets = ranges.map((range, at) => allowed(fields[at] ?? '*', range));
  const anyDay = fields[2] === '*' || fields[4] === '*';
  const minuteMs = 60_000;
  let ms = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const lastMs = ms + 366 * 86_400_000;
  while (ms < lastMs) {
    const at = new Date(ms);
    const fitsMonthDay = sets[2]?.has(at.getUTCDate()) === true;
    const fitsWeekDay = sets[4]?.has(at.getUTCDay()) === true;
    const fitsDay = anyDay ? fitsMonthDay && fitsWeekDay : fitsMonthDay || fitsWeekDay;
    if (sets[3]?.has(at.getUTCMonth() + 1) !== true || !fitsDay) {
      ms = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
    } else if (sets[1]?.has(at.getUTCHours()) !== true) {
      ms = (Math.floor(ms / 3_600_000) + 1) * 3_600_000;
    } else if (sets[0]?.has(at.getUTCMinutes()) !== true) {
      ms += minuteMs;
    } else {
      return ms;
    }
  }
  throw new Error(`no minute of a year fits the schedule ${schedule}`);
}
