/** The sanitizer of a whole text: event messages, answers of the API server, values of annotations (SZ-01). */

import { sanitizeLine } from './line.ts';
import { hidePemBlocks } from './pem.ts';

/** The text with its secrets hidden: blocks of private keys over several lines first, then line by line. */
export function sanitizeText(text: string): string {
  if (!text.includes('\n')) return sanitizeEnded(text);
  return hidePemBlocks(text).text.split('\n').map(sanitizeEnded).join('\n');
}

/** A carriage return before the line break belongs to the break. */
const sanitizeEnded = (line: string): string =>
  line.endsWith('\r') ? `${sanitizeLine(line.slice(0, -1))}\r` : sanitizeLine(line);
