import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sanitizeLine } from '../../../rules/scrub/line.ts';
import { MARKER } from '../../../rules/scrub/marker.ts';
import { hiddenByBase } from './baseScrubber.ts';
import { hiddenLines, keptLines } from './corpus.ts';
import { ordinaryLine, SHAPES, secretName } from './shapes.ts';

/** Texts that the base hides and the sanitizer shows. */
function revealed(line: string): string[] {
  const shown = sanitizeLine(line).replaceAll(MARKER, '\n');
  // A scheme word is no secret: `--token Bearer x` hides it, `got Bearer x` does not.
  const secrets = hiddenByBase(line).filter((secret) => !/^(?:bearer|basic)$/i.test(secret));
  return secrets.filter((secret) => secret.length >= 4 && secret !== MARKER && shown.includes(secret));
}

describe('the base rules of the agent', () => {
  it('hide something in a third of the corpus', () => {
    const hidden = hiddenLines().filter(({ line }) => hiddenByBase(line).length > 0);
    assert.ok(hidden.length * 3 > hiddenLines().length, `${hidden.length}`);
  });

  it('hide nothing that the sanitizer shows, in the corpus (SZ-20)', () => {
    for (const { line } of hiddenLines()) assert.deepEqual(revealed(line), [], line);
  });

  it('hide nothing that the sanitizer shows, in lines of every shape (SZ-20)', () => {
    const shaped = fc
      .constantFrom(...SHAPES)
      .chain(({ secret, line }) => fc.tuple(secret, secretName).map(([value, name]) => line(value, name)));
    const mixed = fc
      .array(fc.oneof(shaped, ordinaryLine), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(mixed, (line) => assert.deepEqual(revealed(line), [])),
      { numRuns: 2000 },
    );
  });

  it('hide nothing that the sanitizer shows, in pairs of arbitrary values (SZ-20)', () => {
    const value = fc.string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 40 });
    const frame = fc.constantFrom<(name: string, value: string) => string>(
      (n, v) => `a ${n}=${v} b`,
      (n, v) => `{"${n}":"${v}"}`,
      (n, v) => `run --${n} ${v}`,
      (n, v) => `run --${n}=${v}`,
      (_, v) => `http://u:${v}@h.io/`,
      (_, v) => `got Bearer ${v}`,
    );
    const name = fc.constantFrom(
      'password',
      'db_passwd',
      'clientSecret',
      'api-key',
      'access_key',
      'passphrase',
    );
    fc.assert(
      fc.property(frame, name, value, (write, key, text) => assert.deepEqual(revealed(write(key, text)), [])),
      { numRuns: 3000 },
    );
  });

  it('leave ordinary lines alone too, or the comparison would say nothing', () => {
    const touched = keptLines().filter((line) => hiddenByBase(line).some((secret) => secret !== MARKER));
    assert.ok(touched.length < keptLines().length / 10, touched.join('\n'));
  });
});
