/** Which names of values say that the value is a secret (SZ-04, SZ-05, SZ-19, X-25). */

import { classOf, LETTER_OR_DIGIT, LOWER, UPPER } from './characters.ts';

/**
 * `secret`: its value is hidden, whatever it is. `ambiguous`: a harmless value stays (SZ-18). Null: the name says nothing.
 */
export type KeyClass = 'secret' | 'ambiguous' | null;

/** Longer than any of the words below with two more; a longer name is judged by its end. */
const REACH = 40;

/** Words at the end of a name, found whatever stands before them: `PGPASSWORD`, `dbpassword`, `passWord`. */
const SECRET_ENDS = [
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'apikey',
  'accesskey',
  'privatekey',
  'secretkey',
  'accountkey',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'authorization',
];

const AMBIGUOUS_ENDS = ['token', 'tokens', 'credential', 'credentials', 'cookie', 'cookies', 'secrets'];

/** Words that must be the whole last part of a name: `oauth`, `bypass` and `obsession` are none. */
const SECRET_PARTS = new Set(['pwd', 'pw', 'apikeys']);
const AMBIGUOUS_PARTS = new Set([
  'pass',
  'auth',
  'bearer',
  'session',
  'sessions',
  'masterauth',
  'jsessionid',
  'phpsessid',
]);

const ENDS_IN_PASS = /^(?!by|com|encom|sur|tres|over|under|im|tress)[a-z]{2,}pass$/;

/** Last parts that only say how the secret is written: `token-secret.value`. */
const FORMS = new Set(['value', 'values', 'plain', 'plaintext', 'b64', 'base64', 'raw']);

const isUpper = (code: number): boolean => (classOf(code) & UPPER) !== 0;
const isLower = (code: number): boolean => (classOf(code) & LOWER) !== 0;

/**
 * The parts of a name's end in lower case, cut where `-`, `.`, `_` or anything but letters and digits stands and where
 * camelCase turns.
 */
function partsOf(text: string, from: number, to: number): string[] {
  const parts: string[] = [];
  let end = to;
  for (let i = to; i > Math.max(from, to - REACH); ) {
    i--;
    const code = text.charCodeAt(i);
    if ((classOf(code) & LETTER_OR_DIGIT) === 0 || code > 127) {
      if (end > i + 1) parts.unshift(text.slice(i + 1, end).toLowerCase());
      end = i;
      continue;
    }
    if (i === from || !isUpper(code)) continue;
    const before = text.charCodeAt(i - 1);
    // `dbPassword` turns before P, and so does `DBPassword`, where a small letter follows.
    const turns =
      (!isUpper(before) && (classOf(before) & LETTER_OR_DIGIT) !== 0) ||
      (isUpper(before) && i + 1 < end && isLower(text.charCodeAt(i + 1)));
    if (turns) {
      parts.unshift(text.slice(i, end).toLowerCase());
      end = i;
    }
  }
  const start = Math.max(from, to - REACH);
  if (end > start) parts.unshift(text.slice(start, end).toLowerCase());
  return parts;
}

/** What the name at `from` to `to` says about its value. */
export function classifyKey(text: string, from: number, to: number): KeyClass {
  const parts = partsOf(text, from, to);
  while (parts.length > 1 && (FORMS.has(parts.at(-1) ?? '') || /^\d+$/.test(parts.at(-1) ?? ''))) parts.pop();
  const last = (parts.pop() ?? '').replace(/\d{1,4}$/, '');
  const joined = parts.join('') + last;
  if (SECRET_PARTS.has(last) || SECRET_ENDS.some((word) => joined.endsWith(word))) return 'secret';
  if (AMBIGUOUS_PARTS.has(last) || AMBIGUOUS_ENDS.some((word) => joined.endsWith(word))) return 'ambiguous';
  return ENDS_IN_PASS.test(last) ? 'ambiguous' : null;
}
