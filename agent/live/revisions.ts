import type { RevisionKind } from '../../rules/query/live.ts';
import { redactPodTemplate } from '../../rules/scrub/manifest.ts';
import type { KubeReply, Revision, RevisionsData } from '../../wire/kubeQuery.ts';
import { MAX_OBJECT_BYTES, MAX_REVISIONS } from '../../wire/kubeQuery.ts';
import { answered, failed, type LiveRead } from './failure.ts';
import { objectPath } from './paths.ts';
import {
  controllerRevision,
  type HistoryItem,
  type RawRevision,
  replicaSetRevision,
} from './revisionItems.ts';

interface RawWorkload {
  readonly metadata: { readonly uid?: string };
}

/** Objects kept while a list is read; the newest 21 of them say all. */
const KEPT = 100;

const byNewest = (a: HistoryItem, b: HistoryItem): number => b.revision - a.revision;

/** The newest 20 revisions with their templates, as far as 512 KiB carry them (LV-07 to LV-10). Throws KubeError. */
export async function readRevisions({ api, query, at, signal }: LiveRead): Promise<KubeReply<RevisionsData>> {
  const kind = query.kind as RevisionKind;
  const { namespace, name } = query;
  const workload = await api.get<RawWorkload>(objectPath(kind, namespace, name), { signal });
  const { uid } = workload.metadata;
  const ofReplicaSets = kind === 'Deployment' || kind === 'Rollout';
  const read = ofReplicaSets ? replicaSetRevision : controllerRevision;
  let items: HistoryItem[] = [];
  await api.list<RawRevision>(
    `/apis/apps/v1/namespaces/${namespace}/${ofReplicaSets ? 'replicasets' : 'controllerrevisions'}`,
    {
      signal,
      onStart: () => {
        items = [];
      },
      onItem: (item) => {
        const owner = item.metadata.ownerReferences?.find(({ controller }) => controller === true);
        if (uid === undefined || owner?.uid !== uid) return;
        items.push(read(item));
        if (items.length > KEPT) items = items.sort(byNewest).slice(0, MAX_REVISIONS + 1);
      },
    },
  );
  items.sort(byNewest);
  const shown = withinBudget(items.slice(0, MAX_REVISIONS));
  if (shown === null)
    return failed('internal', 'a revision is not shown: its template has an unexpected shape');
  return answered({
    kind,
    namespace,
    name,
    revisions: shown.revisions,
    truncated: items.length > MAX_REVISIONS,
    notes: shown.notes,
    observed_at: at.toISOString(),
  });
}

/** From the newest on; the first template that does not fit ends it for all older ones, so that what is left is a range. */
function withinBudget(items: readonly HistoryItem[]): { revisions: Revision[]; notes: string[] } | null {
  const bare = items.map(({ template: _, ...item }): Revision => ({ ...item, pod_template: null }));
  let left = MAX_OBJECT_BYTES - Buffer.byteLength(JSON.stringify(bare));
  const notes = new Set<string>();
  const revisions: Revision[] = [];
  for (const [index, item] of items.entries()) {
    const revision = bare[index] as Revision;
    if (left < 0 || item.template === null) {
      revisions.push(revision);
      continue;
    }
    const redacted = redactPodTemplate(item.template);
    if (redacted.kind === 'refused') return null;
    left -= Buffer.byteLength(JSON.stringify(redacted.object));
    if (left >= 0) for (const note of redacted.notes) notes.add(note);
    revisions.push(left < 0 ? revision : { ...revision, pod_template: redacted.object });
  }
  const cut =
    left < 0 ? ['the oldest revisions come without their template: the answer is limited to 512 KiB'] : [];
  return { revisions, notes: [...notes, ...cut] };
}
