/** Arguments of commands: the first thing to read in a crash loop, so only secrets in them are hidden, not all. */

import { isHarmlessWord } from './harmless.ts';
import { MARKER } from './marker.ts';
import { isRedacted } from './redacted.ts';
import { classifyKey } from './secretKeys.ts';
import { sanitizeText } from './text.ts';

/**
 * The arguments with their secrets hidden: inside each, as text, and where a flag stands alone, in the one after it
 * (`["--token", "x"]`).
 */
export function sanitizeArguments(list: readonly string[]): string[] {
  return list.map((argument, i) => {
    const flag = i === 0 ? '' : (list[i - 1] ?? '');
    return followsFlag(flag, argument) ? MARKER : sanitizeText(argument);
  });
}

function followsFlag(flag: string, argument: string): boolean {
  if (!/^-[^\s=:]{1,128}$/.test(flag) || argument === '' || isRedacted(argument)) return false;
  // Another flag: the one before has no value.
  if (/^--?[A-Za-z][\w.-]*(?:=|$)/.test(argument)) return false;
  const keyClass = classifyKey(flag, 0, flag.length);
  return keyClass === 'secret' || (keyClass === 'ambiguous' && !isHarmlessWord(argument.trim()));
}
