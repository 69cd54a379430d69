/** Lines of 64 KiB that are slow for a scanner which looks at anything twice for each character. */

import { MAX_LINE } from '../rules/scrub/line.ts';

const filled = (piece: string): string => piece.repeat(Math.ceil(MAX_LINE / piece.length)).slice(0, MAX_LINE);

/** Twenty lines with the names of what they repeat. */
export const hostileLines = (): [string, string][] => [
  ['capitals', filled('A')],
  ['capitals and underscores', filled('A_')],
  ['spaces', filled(' ')],
  ['names without a value', filled('password ')],
  ['names with an empty value', filled('password=')],
  ['names and colons', filled('token:')],
  ['quotes that open', filled('="')],
  ['escaped quotes of growing depth', filled('"\\"\\\\\\"')],
  ['apostrophes', filled(" 'a")],
  ['backslashes', filled('\\')],
  ['brackets that open', filled('auth:[')],
  ['braces under a name', filled('"token":{')],
  ['schemes of URLs', filled('a://bbbbbbbb:')],
  ['at signs', filled('a://b:c@')],
  ['schemes of authorization', filled('Bearer Basic ')],
  ['flags', filled('--token --password-file ')],
  ['encoded signs', filled('%26password%3D%25')],
  ['starts of vendor tokens', filled('sk-a-eyJ.xox-AKIA-')],
  ['random text with slashes', filled('aB3/xY9+')],
  ['starts of private keys', filled('-----BEGIN PRIVATE KEY---- ')],
  ['ampersands and commas', filled('password=a,b&')],
  ['markers', filled('token=[REDACTED] [REDACTED')],
];
