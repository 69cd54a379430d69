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
const isLetter = (code: number): boolean => (classOf(code) & (UPPER | LOWER)) !== 0;
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

/** The last two letters of every word above: most names end otherwise, and need no second look. */
const ENDINGS = new Uint8Array(32 * 32);
for (const word of [...SECRET_ENDS, ...AMBIGUOUS_ENDS, ...SECRET_PARTS, ...AMBIGUOUS_PARTS, ...FORMS]) {
  ENDINGS[endingOf(word, 0, word.length)] = 1;
}

// Of a word of one letter any letter may stand before.
for (let before = 0; before < 32; before++) ENDINGS[(('b'.charCodeAt(0) & 31) << 5) | before] = 1;

/** The last two letters, whatever their case, as a number; digits and punctuation behind them do not count. */
function endingOf(text: string, from: number, to: number): number {
  let last = to - 1;
  while (last > from && to - last < REACH && !isLetter(text.charCodeAt(last))) last--;
  let before = last - 1;
  // `api.key_1`: the word may be cut anywhere, but two letters stand together at its end.
  while (before > from && !isLetter(text.charCodeAt(before))) before--;
  return ((text.charCodeAt(last) & 31) << 5) | (before < from ? 0 : text.charCodeAt(before) & 31);
}

/** Whether the name may be one of a secret's, by its last letters. `classifyKey` says whether it is. */
export const mayNameSecret = (text: string, from: number, to: number): boolean =>
  ENDINGS[endingOf(text, from, to)] !== 0;

/** Names come again and again; what was found about them is kept for a while. */
const MAX_KNOWN = 4096;
const known = new Map<string, KeyClass>();

/** What the name at `from` to `to` says about its value. */
export function classifyKey(text: string, from: number, to: number): KeyClass {
  if (!mayNameSecret(text, from, to)) return null;
  const name = text.slice(Math.max(from, to - 2 * REACH), to);
  const found = known.get(name);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const verdict = classifyName(name);
  known.set(name, verdict);
  return verdict;
}

function classifyName(name: string): KeyClass {
  const parts = partsOf(name, 0, name.length);
  while (parts.length > 1 && (FORMS.has(parts.at(-1) ?? '') || /^\d+$/.test(parts.at(-1) ?? ''))) parts.pop();
  const last = (parts.pop() ?? '').replace(/\d{1,20}$/, '');
  const joined = parts.join('') + last;
  if (SECRET_PARTS.has(last) || SECRET_ENDS.some((word) => joined.endsWith(word))) return 'secret';
  if (AMBIGUOUS_PARTS.has(last) || AMBIGUOUS_ENDS.some((word) => joined.endsWith(word))) return 'ambiguous';
  return ENDS_IN_PASS.test(last) ? 'ambiguous' : null;
}
