/** Image references as people tell them apart: base name and tag, digests shortened (U-36). */

interface Image {
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  /** Tag and shortened digest, as far as there are any. */
  readonly version: string;
}

/** Digits of a digest that are shown, as many as tools print of an image's id. */
const DIGEST_DIGITS = 12;

function parseImage(reference: string): Image {
  const [name = '', digest] = reference.split('@', 2);
  const colon = name.lastIndexOf(':');
  // A colon before the last slash belongs to the registry's port.
  const hasTag = colon > name.lastIndexOf('/');
  const tag = hasTag ? name.slice(colon + 1) : '';
  return {
    repository: hasTag ? name.slice(0, colon) : name,
    version: [tag, digest === undefined ? '' : shortDigest(digest)].filter(Boolean).join('@') || 'untagged',
  };
}

function shortDigest(digest: string): string {
  const [algorithm = '', hex = ''] = digest.split(':', 2);
  return `${algorithm}:${hex.slice(0, DIGEST_DIGITS)}`;
}

const baseName = (repository: string): string => repository.slice(repository.lastIndexOf('/') + 1);

/** "api 2.40.3 → 2.41.0" within one repository, both references where it became another. */
export function describeImages(before: string | null, after: string | null): string {
  const [old, now] = [parseImage(before ?? ''), parseImage(after ?? '')];
  if (old.repository === now.repository) return `${baseName(now.repository)} ${old.version} → ${now.version}`;
  // The base name says enough unless it stayed.
  const name = baseName(old.repository) === baseName(now.repository) ? (text: string) => text : baseName;
  const full = ({ repository, version }: Image): string =>
    version === 'untagged' ? name(repository) : `${name(repository)}:${version}`;
  return `${full(old)} → ${full(now)}`;
}
