/** The same texts again and again, in one copy each: JSON.parse makes a new one at every place. */

/** Objects come by namespace and name, so that what repeats does so soon: a small pool meets most of it. */
const SLOTS = 1024;
const MAX_CHARS = 256;

/**
 * A function that answers a text equal to its own, the same one where that was given to it lately. Two in five bytes of
 * a cycle's records are spared that way: images, labels, reasons, times and names of namespaces and owners.
 */
export function createTextPool(): (text: string) => string {
  const pool = new Array<string>(SLOTS).fill('');
  return (text) => {
    if (text.length > MAX_CHARS) return text;
    const slot = slotOf(text);
    const known = pool[slot];
    if (known === text) return known;
    pool[slot] = text;
    return text;
  };
}

/** By the length and a few characters, more of them towards the end, where names differ. */
function slotOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let back = 1; back <= 8 && back <= length; back += 1) {
    hash = Math.imul(hash, 31) + text.charCodeAt(length - back);
  }
  for (let at = 0; at < length; at += 5) hash = Math.imul(hash, 31) + text.charCodeAt(at);
  return (hash >>> 0) % SLOTS;
}
