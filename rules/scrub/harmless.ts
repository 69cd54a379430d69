/** Values that are obviously no secret, under names that need not mean one (SZ-18). */

const PLAIN = new Set(
  `true false yes no on off none null nil undefined na empty unset missing absent present required optional
  enabled disabled ok okay success successful succeeded failed failure fail failing error errors invalid valid
  expired expiring revoked rejected refused denied forbidden unauthorized unauthenticated unknown unsupported
  anonymous default expected unexpected mismatch mismatched timeout pending active inactive created updated deleted
  removed rotated refreshed renewed found verified closed opened open started ended terminated established lost
  basic bearer digest ldap oidc oauth oauth2 saml kerberos mtls tls x509 rbac webhook static hidden redacted
  amd64 arm64 * **`
    .split(/\s+/)
    .filter(Boolean),
);

/** Words that only prose has: behind one, or before, a plain word is a part of a sentence. */
const PROSE = new Set(
  `is are was were been being has had have will would can cannot could should must might does did not
  for from of on at by with without and or but if when while because the this that these those its
  already after before during until than then which who to in it an`
    .split(/\s+/)
    .filter(Boolean),
);

/** A count, a duration, a percentage or a version. Longer numbers may be one-time passwords. */
const FIGURE =
  /^[-+]?\d{1,6}(?:\.\d{1,6})?(?:%|ms|[smhd]|[kmg]i?b?)?$|^[~^]?v?\d{1,4}(?:\.\d{1,6}){1,3}(?:-[a-z]{1,6}\.?\d{0,3})?$/i;

const WORD = /^([-+]?[A-Za-z0-9_.%-]{1,24})(?:[,;:)\]}>"'`!?/\\&]|\s|$)/;
const SECOND_WORD = /^\S{1,32}\s+([^\s,;)]{1,24})/;
const SCHEME = /^(?:basic|bearer|digest)$/i;

const bare = (word: string): string => word.replace(/[.%]$/, '');

/** Whether one word says nothing: a figure, true or false, nothing at all, or the name of a state or a method. */
export const isHarmlessWord = (word: string): boolean =>
  FIGURE.test(word) || FIGURE.test(bare(word)) || PLAIN.has(bare(word).toLowerCase());

/** Only as much is read of a value to judge it. */
const REACH = 64;

/**
 * Whether a value is harmless as a whole (`whole`), or up to the next white space or punctuation. A scheme word is not: its
 * credential follows.
 */
export function isHarmlessValue(text: string, from: number, to: number, whole = false): boolean {
  if (whole && to - from > REACH) return false;
  const value = text.slice(from, Math.min(to, from + REACH));
  if (whole) return isHarmlessWord(value.trim());
  const word = WORD.exec(value)?.[1];
  if (word === undefined || !isHarmlessWord(word)) return false;
  return !SCHEME.test(word) || SECOND_WORD.exec(value) === null;
}

/**
 * Whether a text behind a colon is harmless by its first word: a harmless word, or a plain one that the next shows to be
 * prose (`auth: rejected for user bob`).
 */
export function isHarmlessText(text: string, from: number, to: number): boolean {
  if (isHarmlessValue(text, from, to)) return true;
  const value = text.slice(from, Math.min(to, from + REACH));
  const word = WORD.exec(value)?.[1];
  if (word === undefined || !/^[A-Za-z][a-z]{0,14}$/.test(word) || SCHEME.test(word)) return false;
  const second = SECOND_WORD.exec(value)?.[1];
  return second !== undefined && (PROSE.has(word.toLowerCase()) || PROSE.has(second));
}

/** Whether a word belongs to a sentence around a flag's name (`--token is required`), and is not its value. */
export const isProse = (word: string): boolean => PROSE.has(word.toLowerCase());
