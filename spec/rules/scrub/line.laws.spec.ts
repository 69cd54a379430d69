import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hostileLines } from '../../../bench/hostileLines.ts';
import { MAX_LINE, sanitizeLine, visitsOf } from '../../../rules/scrub/line.ts';
import { MARKER } from '../../../rules/scrub/marker.ts';
import { sanitizeText } from '../../../rules/scrub/text.ts';
import { ordinaryLine, SHAPES, secretName } from './shapes.ts';

/** Pieces that the rules look for, put together without sense. */
const PIECES = [
  ...[
    '"',
    "'",
    '`',
    '\\',
    '\\"',
    '\\\\\\"',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '<',
    '>',
    ',',
    ';',
    '&',
    '|',
    '#',
    '?',
    '/',
    '@',
  ],
  ...[
    ':',
    ': ',
    '=',
    ' = ',
    ':=',
    '=>',
    '==',
    '://',
    '%3D',
    '%3A%20',
    '%26',
    '%22',
    '%25',
    '%253D',
    '\\n',
    '\\u0026',
    '\t',
  ],
  ...[
    'password',
    'token',
    'auth',
    'Authorization',
    'Cookie',
    'Bearer',
    'Basic',
    '--token',
    '-password',
    'api',
    'key',
    'secret',
  ],
  ...[
    'hunter2',
    'true',
    '5',
    'none',
    'for',
    'bob',
    'x',
    'é',
    ' ',
    '  ',
    '.',
    '-',
    '_',
    MARKER,
    '[RED',
    'sk-',
    'eyJ',
    'hvs.',
    'AKIA',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    'abcDEF0123456789ghIJKLmnop',
    '[]string{',
    'map[',
    'Digest',
  ],
];
const nonsense = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));
const anyLine = fc
  .oneof(nonsense, fc.string({ unit: 'binary', maxLength: 200 }), ordinaryLine)
  .map((text) => text.replaceAll('\n', ' '));

describe('the line sanitizer, by law', () => {
  it('changes nothing more when it is asked again', () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const once = sanitizeLine(line);
        assert.equal(sanitizeLine(once), once);
      }),
      { numRuns: 3000 },
    );
  });

  it('holds for whole texts too', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const once = sanitizeText(lines.join(end));
        assert.equal(sanitizeText(once), once);
      }),
      { numRuns: 500 },
    );
  });

  it('looks at no more than 40 characters for each that the line has', () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 1, max: 200 }), (line, times) => {
        const text = line.repeat(times);
        assert.ok(visitsOf(text) <= 40 * (text.length + 1), `${visitsOf(text)} for ${text.length}`);
      }),
      { numRuns: 1000 },
    );
  });

  for (const [name, line] of hostileLines()) {
    it(`looks at no more than 40 characters for each of 64 KiB of ${name}`, () => {
      assert.ok(visitsOf(line) <= 40 * line.length, `${visitsOf(line)} for ${line.length}`);
    });
  }

  for (const { rule, secret, line, toEnd, initial } of SHAPES) {
    it(`never shows a secret in the shape of ${rule}`, () => {
      const before = initial
        ? fc.constantFrom('', '  ')
        : fc.oneof(
            fc.constant(''),
            ordinaryLine.map((text) => `${text} `),
          );
      const after = fc.oneof(
        fc.constant(''),
        ordinaryLine.map((text) => ` ${text}`),
      );
      fc.assert(
        fc.property(secret, secretName, before, after, (value, name, start, end) => {
          const text = sanitizeLine(start + line(value, name) + end);
          for (const part of value.split(/[^A-Za-z0-9]+/).filter((piece) => piece.length >= 5)) {
            assert.ok(!text.includes(part), `${part} of ${value} in ${text}`);
          }
          if (!initial) assert.ok(text.startsWith(start), `${text} lost ${start}`);
          if (toEnd !== true && !rule.includes('without an end'))
            assert.ok(text.endsWith(end), `${text} lost ${end}`);
        }),
        { numRuns: 100 },
      );
    });
  }

  it('always shows ordinary lines as they are', () => {
    fc.assert(
      fc.property(ordinaryLine, (line) => assert.equal(sanitizeLine(line), line)),
      { numRuns: 3000 },
    );
  });

  it('cuts a long line before any rule, once', () => {
    const long = 'abc password=hunter2 '.repeat(10_000);
    const once = sanitizeLine(long);
    assert.ok(once.endsWith(' [CUT]'));
    assert.equal(sanitizeLine(once), once);
    assert.ok(once.replaceAll(MARKER, '.').length <= MAX_LINE);
  });
});
