/**
 * The base rules of the agent's scrubber as they were before the rules for log lines came: key=value, JSON pairs, flags, PEM
 * blocks, URL userinfo, Bearer and Basic, vendor shapes, entropy (SZ-20, U-22). Frozen: it is what the sanitizer is compared
 * with, so it is not to be changed, not even for the better.
 */

const KEY =
  '[A-Za-z0-9_.-]{0,40}?(?:password|passwd|passphrase|secret|api[_.-]?key|access[_.-]?key|private[_.-]?key|token)';

/** Values that the ambiguous names may keep. */
const PLAIN = /^(?:true|false|none|null|nil|\d{1,6})$/i;

const RULES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?<secret>[\s\S]{1,8192}?)-----END [A-Z ]{0,32}PRIVATE KEY-----/g,
  /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#"']{0,64}:(?<secret>[^\s@/?#"'\\]{1,128})@(?!sha256)/gi,
  /\b(?:Bearer|Basic)\s(?<secret>[A-Za-z0-9+/=._~-]{16,512})/g,
  new RegExp(String.raw`"${KEY}"\s?:\s?"(?<secret>[^"\\]{1,256})"`, 'gi'),
  new RegExp(String.raw`(?<![\w-])--?${KEY}[= ](?<secret>[^\s"'-][^\s"']{0,255})`, 'gi'),
  new RegExp(String.raw`(?<![\w-])${KEY}=(?<secret>[^\s"'&,;\\]{1,256})`, 'gi'),
  /(?<![A-Za-z0-9])(?<secret>eyJ[A-Za-z0-9_-]{10,512}\.[A-Za-z0-9_-]{4,512}(?:\.[A-Za-z0-9_-]{4,512})?)/g,
  /(?<![A-Za-z0-9])(?<secret>xox[abprs]-[A-Za-z0-9-]{10,200}|AKIA[A-Z0-9]{16}|hvs\.[A-Za-z0-9_-]{24,200}|sk-[A-Za-z0-9]{20,200})/g,
  /(?<![A-Za-z0-9+/=_-])(?<secret>[A-Za-z0-9+=_-]{20,256})(?![A-Za-z0-9+/=_-])/g,
];

function bits(text: string): number {
  const counts = new Map<string, number>();
  for (const c of text) counts.set(c, (counts.get(c) ?? 0) + 1);
  let sum = 0;
  for (const n of counts.values()) sum -= (n / text.length) * Math.log2(n / text.length);
  return sum;
}

/** Four bits and each class three times or more: nothing that a person would call a name. */
const looksRandom = (text: string): boolean =>
  bits(text) >= 4 &&
  [/[a-z]/g, /[A-Z]/g, /\d/g].every((pattern) => (text.match(pattern) ?? []).length >= 3) &&
  !/[a-z]{3}/.test(text);

/** Every text of the line that the base rules hide. */
export function hiddenByBase(line: string): string[] {
  return RULES.flatMap((rule, i) =>
    [...line.matchAll(rule)].flatMap(({ groups, index }) => {
      const secret = groups?.secret ?? '';
      const isRandomRule = i === RULES.length - 1;
      if (isRandomRule && (!looksRandom(secret) || /sha\d+[-:]$/i.test(line.slice(0, index)))) return [];
      return secret === '' || PLAIN.test(secret) ? [] : [secret];
    }),
  );
}
