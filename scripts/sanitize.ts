/** `./proxima sanitize`. */
import type { Readable, Writable } from 'node:stream';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createLineSanitizer, MAX_LINE } from '../rules/scrub/line.ts';
import { MARKER } from '../rules/scrub/marker.ts';
import { readOptions } from './options.ts';

const INTRO = `usage: ./proxima sanitize < file

Writes each line of the standard input with its secrets hidden, as the log view of the API would show it: one line for
one line, as they come. What it hides, and what it cannot, is in docs/sanitizer.md. Nothing is sent anywhere.`;

/** Returns the exit code: 0 done, 1 the input or the output failed, 2 bad usage. */
export async function runSanitize(
  argv: string[],
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Promise<number> {
  const parsed = readOptions(INTRO, {}, argv);
  if ('exitCode' in parsed) return parsed.exitCode;
  try {
    await pipeline(input, sanitizingLines(), output);
    return 0;
  } catch (error) {
    // The reader has seen enough: `./proxima sanitize < file | head`.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return 0;
    console.error(`proxima: ${(error as Error).message}`);
    return 1;
  }
}

/** More of a line than this is never shown, however many markers it holds; the rest is not even kept. */
const MAX_KEPT = MAX_LINE * MARKER.length + 1;

/** A stream of bytes in, of sanitized lines out. A last line without a line break stays one. */
function sanitizingLines(): Transform {
  const decoder = new StringDecoder('utf8');
  const sanitize = createLineSanitizer();
  let pending = '';
  const keep = (text: string): void => {
    if (pending.length < MAX_KEPT) pending += text.slice(0, MAX_KEPT - pending.length);
  };
  const take = (text: string): string => {
    const lines = text.split('\n');
    let shown = '';
    lines.forEach((line, i) => {
      keep(line);
      if (i === lines.length - 1) return;
      shown += `${ended(pending, sanitize)}\n`;
      pending = '';
    });
    return shown;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, take(decoder.write(chunk)));
    },
    flush(done) {
      const shown = take(decoder.end());
      done(null, shown + (pending === '' ? '' : ended(pending, sanitize)));
    },
  });
}

/** A carriage return at the end belongs to the line break. */
const ended = (line: string, sanitize: (line: string) => string): string =>
  line.endsWith('\r') ? `${sanitize(line.slice(0, -1))}\r` : sanitize(line);
