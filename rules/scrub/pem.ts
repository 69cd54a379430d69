/** PEM blocks of private keys (SZ-14). */

import { MARKER } from './marker.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/;
const END = /-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/;

/** A line of a PEM body, as base64 or a header of it, and nothing else. */
const BODY = /^\s{0,64}(?:[A-Za-z0-9+/=]{1,128}|[A-Za-z-]{1,32}: [\w ,.-]{1,96}|)\s{0,64}$/;

export interface PemText {
  readonly text: string;
  /** A block has begun that does not end. */
  readonly open: boolean;
}

/** Each block becomes one marker, whatever stands between its ends; one that does not end reaches to the end of the text. */
export function hidePemBlocks(text: string): PemText {
  if (!text.includes('PRIVATE KEY')) return { text, open: false };
  let shown = '';
  let rest = text;
  for (;;) {
    const begin = BEGIN.exec(rest);
    if (begin === null) return { text: shown + rest, open: false };
    shown += rest.slice(0, begin.index) + MARKER;
    rest = rest.slice(begin.index + begin[0].length);
    const end = END.exec(rest);
    if (end === null) return { text: shown, open: true };
    rest = rest.slice(end.index + end[0].length);
  }
}

/** The rest of a line behind the end of a block that began on an earlier line; null when none ends here. */
export function afterPemEnd(line: string): string | null {
  const end = END.exec(line);
  return end === null ? null : line.slice(end.index + end[0].length);
}

/** Whether the line can belong to a block that began on an earlier one. */
export const isPemBody = (line: string): boolean => line.length < 512 && BODY.test(line);
