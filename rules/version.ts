/** Versions of agents: semantic versions, with or without a leading `v` (U-34). */

interface Version {
  readonly numbers: readonly number[];
  readonly isPreRelease: boolean;
}

const SHAPE = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

function parse(text: string): Version | null {
  const [, major, minor, patch, preRelease] = SHAPE.exec(text) ?? [];
  if (major === undefined) return null;
  return { numbers: [Number(major), Number(minor), Number(patch)], isPreRelease: preRelease !== undefined };
}

/**
 * True when `version` is the release `required` or a later one. A version that is missing or cannot be read counts as older,
 * and so does a pre-release of `required`: what it lacks is not known.
 */
export function isAtLeast(version: string | null, required: string): boolean {
  const have = parse(version ?? '');
  const need = parse(required);
  if (have === null || need === null) return false;
  for (const [index, wanted] of need.numbers.entries()) {
    const held = have.numbers[index] ?? 0;
    if (held !== wanted) return held > wanted;
  }
  return !have.isPreRelease;
}
