/** A list of the Kubernetes API as it arrives: each object is parsed by itself, so that memory never holds a page of them. */

export interface ListReader {
  /** Takes the next bytes of the JSON text. Throws SyntaxError where it is none, and what `onItem` throws. */
  write(bytes: Buffer): void;
  /** The list without its items, once all bytes were written. Throws SyntaxError when the text is not whole. */
  end(): unknown;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What stands before the items. A key that only ends in this word would have a backslash before its quote. */
const ITEMS = /[{,]\s*"items"\s*:\s*\[$/;

/**
 * Hands over the elements of the top-level array `items` one by one, each as soon as its last byte has come. A page of
 * 500 pods is 2 MB of text and twice that as objects; only what the caller keeps of an element outlives the call.
 */
export function createListReader(onItem: (item: unknown) => void): ListReader {
  /** The list's own text; the items' places stay empty. */
  let shell = '';
  /** What earlier bytes had of the text that is under way. */
  let begun: Buffer[] = [];
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inItems = false;
  let anyItem = false;

  const take = (bytes: Buffer, from: number, to: number): string => {
    if (begun.length === 0) return bytes.toString('utf8', from, to);
    begun.push(bytes.subarray(from, to));
    const text = Buffer.concat(begun).toString();
    begun = [];
    return text;
  };
  const endItem = (text: string, isLast: boolean): void => {
    // Blank only in an empty list: elsewhere JSON.parse refuses it.
    if (isLast && !anyItem && text.trim() === '') return;
    anyItem = true;
    onItem(JSON.parse(text));
  };

  return {
    write(bytes) {
      let from = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at];
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
        } else if (byte === QUOTE) {
          inString = true;
        } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
          depth += 1;
          if (depth === 2 && byte === OPEN_BRACKET && !inItems) {
            shell += take(bytes, from, at + 1);
            from = at + 1;
            inItems = ITEMS.test(shell);
            anyItem = false;
          }
        } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
          if (depth === 2 && inItems) {
            endItem(take(bytes, from, at), true);
            from = at;
            inItems = false;
          }
          depth -= 1;
        } else if (byte === COMMA && depth === 2 && inItems) {
          endItem(take(bytes, from, at), false);
          from = at + 1;
        }
      }
      if (from < bytes.length) begun.push(bytes.subarray(from));
    },
    end() {
      // Inside an item the list's own text ends with an open bracket, which JSON.parse refuses.
      return JSON.parse(inItems ? shell : shell + take(Buffer.alloc(0), 0, 0));
    },
  };
}
