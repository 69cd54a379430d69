/** What an agent answered to a live read: taken only in the right shape, and without secrets once more (LV-13, LV-24). */

import { createLineSanitizer } from '../rules/scrub/line.ts';
import { redactManifest, redactPodTemplate } from '../rules/scrub/manifest.ts';
import { sanitizeText } from '../rules/scrub/text.ts';
import type { KubeQuery, LiveData, LogsData, ManifestData, RevisionsData } from '../wire/kubeQuery.ts';
import { checkKubeReply, MAX_REPLY_BYTES } from '../wire/kubeQuery.ts';

export type ReadReply =
  | { readonly kind: 'answered'; readonly data: LiveData }
  /** `code` is the agent's, or says what is wrong with its answer. */
  | { readonly kind: 'agent_error'; readonly code: string; readonly message: string };

const wrong = (code: string, what: string): ReadReply => ({
  kind: 'agent_error',
  code,
  message: `the agent's answer ${what}`,
});

/** Reads a reply to this request. An answer about another object than the one asked for is none. */
export function readReply(query: KubeQuery, bytes: Uint8Array): ReadReply {
  if (bytes.length > MAX_REPLY_BYTES) return wrong('oversized', 'is too large');
  const checked = checkKubeReply(query.op, parse(bytes));
  if (!checked.ok) return wrong('unreadable', 'cannot be read');
  if (!checked.value.ok) {
    const { code, message } = checked.value.error;
    return { kind: 'agent_error', code, message: sanitizeText(message) };
  }
  const { data } = checked.value;
  const clean = 'lines' in data ? cleanLogs(query, data) : cleanObjects(query, data);
  return clean === null ? wrong('unreadable', 'is about something else') : { kind: 'answered', data: clean };
}

/** An answer of an agent that was not asked for stamps: whatever it claims, its lines have none (LV-19). */
export function unstamped(read: { readonly kind: 'answered'; readonly data: LiveData }): {
  readonly kind: 'answered';
  readonly data: LiveData;
} {
  const { data } = read;
  if (!('lines' in data)) return read;
  const lines = data.lines.map(({ text }) => ({ ts: null, text }));
  const note = "the cluster's agent is older than v0.8.0, its lines carry no time";
  return { kind: 'answered', data: { ...data, lines, timestamps: false, notes: [...data.notes, note] } };
}

/** `undefined` when it is not JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

const cleanNotes = (notes: readonly string[]): string[] => notes.map(sanitizeText);

function cleanLogs(query: KubeQuery, data: LogsData): LogsData | null {
  if (data.namespace !== query.namespace || data.pod !== query.name) return null;
  const sanitize = createLineSanitizer();
  const lines = data.lines.map(({ ts, text }) => ({ ts, text: sanitize(text) }));
  return { ...data, lines, notes: cleanNotes(data.notes) };
}

function cleanObjects(query: KubeQuery, data: ManifestData | RevisionsData): LiveData | null {
  const { kind, namespace, name } = data;
  if (kind !== query.kind || namespace !== query.namespace || name !== query.name) return null;
  return 'object' in data ? cleanManifest(data) : cleanRevisions(data);
}

function cleanManifest(data: ManifestData): ManifestData | null {
  const { name, namespace } = (data.object.metadata ?? {}) as { name?: unknown; namespace?: unknown };
  if (name !== data.name || namespace !== data.namespace) return null;
  const redacted = redactManifest(data.kind, data.object);
  if (redacted.kind === 'refused') return null;
  return { ...data, object: redacted.object, notes: cleanNotes(data.notes) };
}

function cleanRevisions(data: RevisionsData): RevisionsData | null {
  const revisions = [];
  for (const revision of data.revisions) {
    if (revision.pod_template === null) {
      revisions.push(revision);
      continue;
    }
    const redacted = redactPodTemplate(revision.pod_template);
    if (redacted.kind === 'refused') return null;
    revisions.push({ ...revision, pod_template: redacted.object });
  }
  return { ...data, revisions, notes: cleanNotes(data.notes) };
}
