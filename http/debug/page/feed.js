/** The stream of changes: opened, watched, and opened again. */

/** @import { Actor } from './types.d.ts' */

const RETRY_MS = 3_000;
/** The server beats every 5 s. */
const SILENCE_MS = 16_000;

/**
 * @typedef {'connecting' | 'live' | 'cut' | 'signed-out'} LinkState
 * @param {{
 *   onRows: (rows: readonly Actor[]) => void,
 *   onWhole: (keys: ReadonlySet<string>) => void,
 *   onTime: (at: number) => void,
 *   onLink: (state: LinkState) => void,
 * }} hear `onWhole` hears after every connect which actors there are; `onTime` what time it is at the server.
 */
export function openFeed(hear) {
  /** @type {EventSource | null} */
  let source = null;
  let heardAt = Date.now();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;

  const again = async () => {
    source?.close();
    source = null;
    hear.onLink('cut');
    if (await isSignedOut()) return hear.onLink('signed-out');
    clearTimeout(retry);
    retry = setTimeout(open, RETRY_MS);
  };

  const open = () => {
    /** @type {Set<string>} */
    const seen = new Set();
    heardAt = Date.now();
    const opened = new EventSource('/debug/actors/stream');
    source = opened;
    /** @param {string} name @param {(data: any) => void} act */
    const on = (name, act) =>
      opened.addEventListener(name, (event) => {
        heardAt = Date.now();
        act(JSON.parse(event.data));
      });
    on('actors', (/** @type {Actor[]} */ rows) => {
      for (const { key } of rows) seen.add(key);
      hear.onRows(rows);
    });
    on('current', ({ at }) => {
      hear.onTime(Date.parse(at));
      hear.onWhole(seen);
      hear.onLink('live');
    });
    on('beat', ({ at }) => hear.onTime(Date.parse(at)));
    opened.onerror = () => {
      if (source === opened) void again();
    };
  };

  setInterval(() => {
    if (source !== null && Date.now() - heardAt > SILENCE_MS) void again();
  }, 1_000);
  open();
}

/** True when the server answers and no longer knows us; false when it is away. */
const isSignedOut = () =>
  fetch('/debug/api/machine').then(
    ({ status }) => status === 401,
    () => false,
  );
