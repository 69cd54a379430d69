/** URLs of Argo CD Applications, without what may be secret in them (AA-05, AA-06). */

import { sanitizeLine } from './line.ts';

const MAX_LENGTH = 2048;
const WITH_SCHEME = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/\s\\]/i;
/** `user@host:path`, as git and scp write it. */
const SCP_LIKE = /^(?:[^@:/\s]{1,128}@)?([a-z0-9][a-z0-9.-]{0,252}):(?!\/\/)\/?([\w.~/-]{1,1024})$/i;
/** `host.tld/path`, as OCI registries are written. */
const BARE = /^[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+(?::\d{1,5})?(?:\/[\w.~-]+)+\/?$/i;

/**
 * A repository's URL without userinfo, query and fragment; null when it cannot be read as one, or when something in what is
 * left still looks like a secret. Nothing of it is shown then.
 *
 * The form `git@host:org/repo` comes back as `ssh://host/org/repo`, which says the same without a user. A registry without a
 * scheme (`registry.example.com/charts`) comes back as it is.
 */
export function scrubRepoUrl(url: string): string | null {
  const text = url.trim();
  if (text.length === 0 || text.length > MAX_LENGTH) return null;
  const shown = WITH_SCHEME.test(text) ? withoutSecrets(text) : withoutScheme(text);
  return shown !== null && sanitizeLine(shown) === shown ? shown : null;
}

/** The URL of a cluster's API server, the same way; null for anything but http and https. */
export const scrubServerUrl = (url: string): string | null =>
  /^https?:\/\//i.test(url.trim()) ? scrubRepoUrl(url) : null;

function withoutSecrets(text: string): string | null {
  // Control characters and white space are dropped by the parser, so that what it reads is not what others read.
  if (/[\s\p{Cc}\\]/u.test(text)) return null;
  const parsed = URL.parse(text);
  if (parsed === null || parsed.host === '' || parsed.host.includes('@')) return null;
  // The parser gives a path to `https://host`, which has none; an in-cluster server is known by its exact text.
  const path = parsed.pathname === '/' && !/^[^/]+:\/\/[^/?#]*\//.test(text) ? '' : parsed.pathname;
  return `${parsed.protocol}//${parsed.host}${path}`;
}

function withoutScheme(text: string): string | null {
  const [, host, path] = SCP_LIKE.exec(text) ?? [];
  // `host:8080` has a port, not a path; letters are needed to tell them apart.
  if (host !== undefined && path !== undefined) return text.includes('@') ? `ssh://${host}/${path}` : null;
  return BARE.test(text) ? text : null;
}
