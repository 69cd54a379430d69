/** The actors as server-sent events: all of them first, then what changed, at most four times a second. */

import { PassThrough, type Readable } from 'node:stream';
import type { Following } from '../../actors/followers.ts';
import type { Log } from '../../actors/log.ts';
import type { Db } from '../../store/pool.ts';
import type { PlaceName } from './actorRows.ts';
import { allNamed, named, placeNames } from './actorRows.ts';

const EVERY_MS = 250;
/** A page that has heard nothing for three beats knows that it is cut off. */
const BEAT_MS = 5_000;
const ROWS_PER_EVENT = 500;
/** A client that takes nothing for this long is let go; its browser comes again by itself. */
const STALLED_MS = 30_000;
/** Then the browser comes again, and whoever has signed out meanwhile is refused. */
const LIFE_MS = 10 * 60_000;
/** Unknown environments are looked up this often at most. */
const NAMES_EVERY_MS = 5_000;

/**
 * Events `actors` (rows that changed), `current` after the first picture, and `beat`, whose data is the time here. A slow
 * client gets less often what is then more: while its socket is full nothing is written, and changes of one actor stay one
 * row. Ends with the follower, at the process' drain, after ten minutes, or when nothing was taken for 30 s.
 */
export function actorStream(o: {
  readonly following: Following;
  readonly db: Db;
  readonly now: () => Date;
  readonly log: Log;
}): Readable {
  const { following } = o;
  const out = new PassThrough();
  const startedAt = Date.now();
  let names: ReadonlyMap<string, PlaceName> = new Map();
  let namesAt = 0;
  let isFull = false;
  let takenAt = startedAt;
  let beatAt = 0;
  let isPictured = false;
  let busy = false;

  out.on('drain', () => {
    isFull = false;
    takenAt = Date.now();
    // The first picture of ten thousand actors is many events, and a page waits for it.
    if (!isPictured) tick();
  });
  const write = (event: string, data: unknown): void => {
    isFull = !out.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!isFull) takenAt = Date.now();
  };

  const lookUp = async (rows: readonly { readonly key: string }[]): Promise<void> => {
    if (allNamed(names, rows) || Date.now() - namesAt < NAMES_EVERY_MS) return;
    namesAt = Date.now();
    try {
      names = await placeNames(o.db);
    } catch (error) {
      // The visualizer is looked at when things are down: actors without the names of their places are better than none.
      if (!out.destroyed) o.log.warn({ err: error }, 'places of actors could not be named');
    }
  };

  const flush = async (): Promise<void> => {
    while (!isFull && !following.isCurrent) {
      const rows = following.take(ROWS_PER_EVENT);
      await lookUp(rows);
      if (out.destroyed) return;
      write(
        'actors',
        rows.map((row) => named(names, row)),
      );
    }
    if (!isPictured && following.isCurrent) {
      isPictured = true;
      write('current', { at: o.now().toISOString() });
    }
    if (!isFull && Date.now() - beatAt >= BEAT_MS) {
      beatAt = Date.now();
      write('beat', { at: o.now().toISOString() });
    }
    if (following.ended.aborted || Date.now() - startedAt > LIFE_MS) out.end();
    else if (isFull && Date.now() - takenAt > STALLED_MS) out.destroy();
  };

  const tick = (): void => {
    if (busy) return;
    busy = true;
    void flush()
      .catch((error: unknown) => out.destroy(error as Error))
      .finally(() => {
        busy = false;
      });
  };
  const timer = setInterval(tick, EVERY_MS);
  const stop = (): void => {
    clearInterval(timer);
    following.ended.removeEventListener('abort', tick);
    following.close();
  };
  out.once('close', stop);
  out.once('finish', stop);
  following.ended.addEventListener('abort', tick, { once: true });
  tick();
  return out;
}
