import type { Container, ContainerStatus, Pod } from '../objects.ts';
import { hash32 } from '../random.ts';

/** One line of a container's log. Nanoseconds are split off because a clock here has milliseconds. */
export interface LogLine {
  readonly atMs: number;
  readonly nanos: number;
  readonly text: string;
}

/** A kubelet keeps about so many lines per container before it rotates them away. */
const keptLines = 20_000;

/** The lines of every container: generated from its identity and the time, or written by the caller. */
export class PodLogs {
  readonly #written = new Map<string, LogLine[]>();

  /** Sets a container's whole log; the lines replace what would be generated. */
  write(namespace: string, pod: string, container: string, lines: readonly LogLine[]): void {
    this.#written.set(`${namespace}/${pod}/${container}`, [...lines]);
  }

  /** The lines of a container's current run up to now, or of its previous run. */
  linesOf(
    pod: Pod,
    container: Container,
    status: ContainerStatus,
    previous: boolean,
    nowMs: number,
  ): LogLine[] {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}/${container.name}`;
    const written = this.#written.get(key);
    if (written !== undefined && !previous) return written;
    const run = previous
      ? status.lastState.terminated
      : (status.state.running ?? status.state.terminated ?? status.lastState.terminated);
    if (run === undefined) return [];
    const fromMs = Date.parse(run.startedAt);
    const untilMs =
      'finishedAt' in run && typeof run.finishedAt === 'string' ? Date.parse(run.finishedAt) : nowMs;
    return generateLines(`${pod.metadata.uid}/${container.name}/${run.startedAt}`, fromMs, untilMs);
  }
}

const requests = [
  'GET /healthz 200',
  'GET /api/v1/items 200',
  'POST /api/v1/orders 201',
  'GET /api/v1/items/42 404',
];

/** A line at the start and one every few seconds: as many as a quiet program writes. */
function generateLines(seed: string, fromMs: number, untilMs: number): LogLine[] {
  const stepMs = 2000 + (hash32(seed) % 8000);
  const total = Math.floor((untilMs - fromMs) / stepMs) + 1;
  const lines: LogLine[] = [];
  for (let at = Math.max(0, total - keptLines); at < total; at += 1) {
    const noise = hash32(`${seed}/${at}`);
    const text =
      at === 0
        ? 'level=info msg="starting"'
        : `level=${noise % 50 === 0 ? 'error' : 'info'} msg="${requests[noise % requests.length]}" ms=${noise % 900} id=${noise.toString(16)}`;
    lines.push({ atMs: fromMs + at * stepMs + (noise % 1000), nanos: noise % 1_000_000, text });
  }
  return lines;
}
