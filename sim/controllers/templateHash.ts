import { hash32 } from '../random.ts';

const hashAlphabet = 'bcdf456789';

const hashes = new WeakMap<object, string>();

/** A template's hash in the spelling of `pod-template-hash`: digits mapped to letters that make no words. */
export function templateHash(template: object): string {
  let hash = hashes.get(template);
  if (hash === undefined) {
    hash = hashOf(template);
    hashes.set(template, hash);
  }
  return hash;
}

function hashOf(template: object): string {
  const text = JSON.stringify(template);
  const digits = String(hash32(text)).padStart(9, '0');
  return Array.from(digits, (digit) => hashAlphabet.charAt(Number(digit))).join('');
}

/** The value that a strategy's `25%` or `2` means for so many replicas. */
export function shareOf(value: unknown, replicas: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? Number.parseFloat(value) : 25;
  const share = (replicas * percent) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
