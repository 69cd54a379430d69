import { type ManifestKind, redactManifest } from '../../rules/scrub/manifest.ts';
import { type KubeReply, MAX_OBJECT_BYTES, type ManifestData } from '../../wire/kubeQuery.ts';
import { answered, failed, type LiveRead } from './failure.ts';
import { objectPath } from './paths.ts';

/** One object, redacted before it is measured (LV-04 to LV-06). Throws KubeError. */
export async function readManifest({ api, query, at, signal }: LiveRead): Promise<KubeReply<ManifestData>> {
  const kind = query.kind as ManifestKind;
  const { namespace, name } = query;
  const object = await api.get<unknown>(objectPath(kind, namespace, name), { signal });
  const redacted = redactManifest(kind, object);
  if (redacted.kind === 'refused') return failed('internal', `the object is not shown: ${redacted.reason}`);
  if (Buffer.byteLength(JSON.stringify(redacted.object)) > MAX_OBJECT_BYTES) {
    return failed('too_large', 'the object is larger than 512 KiB');
  }
  const notes = [...redacted.notes];
  return answered({
    kind,
    namespace,
    name,
    object: redacted.object,
    notes,
    observed_at: at.toISOString(),
  });
}
