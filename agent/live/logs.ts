import { createLineSanitizer } from '../../rules/scrub/line.ts';
import { isDateTime } from '../../wire/dateTime.ts';
import type { KubeReply, LogsData } from '../../wire/kubeQuery.ts';
import { MAX_LINE_BYTES, MAX_REPLY_BYTES, MAX_TAIL } from '../../wire/kubeQuery.ts';
import { KubeError } from '../kubeError.ts';
import { answered, failed, type LiveRead } from './failure.ts';
import { chooseContainer, type RawPod, whyNoLog } from './podContainers.ts';

type Line = LogsData['lines'][number];

/** Left of the reply for all but the lines, and for the difference between their bytes and JSON's. */
const LINES_BUDGET_BYTES = MAX_REPLY_BYTES - 64 * 1024;

/** The newest lines of one container, sanitized before they leave (LV-11 to LV-17). Throws KubeError. */
export async function readLogs({ api, query, at, signal }: LiveRead): Promise<KubeReply<LogsData>> {
  const { namespace, name, previous, timestamps } = query;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const pod = await api.get<RawPod>(path, { signal });
  const chosen = chooseContainer(pod, query.container);
  const data = (part: Partial<LogsData>): KubeReply<LogsData> =>
    answered({
      namespace,
      pod: name,
      container: query.container,
      previous,
      lines: [],
      truncated: false,
      timestamps,
      notes: [],
      observed_at: at.toISOString(),
      ...part,
    });
  if (chosen.kind === 'unclear') return data({ containers: chosen.containers });
  const { container } = chosen;
  const why = whyNoLog(pod, container, previous);
  if (why !== null) return data({ container, notes: [why] });
  const limit = query.since_time === null ? (query.tail ?? MAX_TAIL) : MAX_TAIL;
  const options = new URLSearchParams({
    container,
    tailLines: String(limit),
    timestamps: String(timestamps),
  });
  if (previous) options.set('previous', 'true');
  if (query.since_time !== null) options.set('sinceTime', query.since_time);
  let text: string;
  try {
    text = await api.text(`${path}/log?${options}`, { signal });
  } catch (error) {
    // What the kubelet says of a container that is about to start or was just removed.
    if (!(error instanceof KubeError) || error.status !== 400) throw error;
    return failed('not_found', `container ${container} has no such log now`);
  }
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const sanitize = createLineSanitizer();
  const fitting = newestThatFit(all.slice(-limit).map((line) => readLine(line, timestamps, sanitize)));
  const left = Math.min(all.length, limit) - fitting.length;
  return data({
    container,
    lines: fitting,
    truncated: all.length >= limit || left > 0,
    notes: left > 0 ? [`the oldest ${left} lines were left out: the answer is limited to 1 MiB`] : [],
  });
}

/** The stamp before a line moves to `ts`; a line without one has none (LV-12). */
function readLine(raw: string, stamped: boolean, sanitize: (line: string) => string): Line {
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
  const space = line.indexOf(' ');
  const stamp = stamped ? line.slice(0, space < 0 ? line.length : space) : '';
  const ts = isDateTime(stamp) ? stamp : null;
  const text = ts === null ? line : line.slice(stamp.length + 1);
  return { ts, text: cut(sanitize(text)) };
}

/** At most 16 KiB with its `…`, and no half character. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_LINE_BYTES) return text;
  const kept = bytes.subarray(0, MAX_LINE_BYTES - 3).toString();
  return `${kept.replace(/\ufffd$/, '')}…`;
}

function newestThatFit(lines: readonly Line[]): Line[] {
  let left = LINES_BUDGET_BYTES;
  let from = lines.length;
  while (from > 0) {
    left -= Buffer.byteLength(JSON.stringify(lines[from - 1])) + 1;
    if (left < 0) break;
    from -= 1;
  }
  return lines.slice(from);
}
