import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLineSanitizer, sanitizeLine } from '../../../rules/scrub/line.ts';
import { sanitizeText } from '../../../rules/scrub/text.ts';
import { hiddenLines, keptLines } from './corpus.ts';

describe('the line sanitizer', () => {
  for (const { rule, line, shown } of hiddenLines()) {
    it(`shows ${JSON.stringify(shown)} of ${JSON.stringify(line)} (${rule})`, () => {
      assert.equal(sanitizeLine(line), shown);
      assert.equal(sanitizeLine(shown), shown);
    });
  }

  for (const line of keptLines()) {
    it(`keeps ${JSON.stringify(line)}`, () => assert.equal(sanitizeLine(line), line));
  }

  it('has at least as many lines that stay as lines that change, and some for each rule', () => {
    const hidden = hiddenLines();
    assert.ok(keptLines().length >= hidden.length);
    const rules = new Set(hidden.map(({ rule }) => rule));
    for (let i = 2; i <= 17; i++) assert.ok(rules.has(`SZ-${String(i).padStart(2, '0')}`), `SZ-${i}`);
  });

  it('leaves whole objects of Kubernetes as they are', () => {
    const folder = join(import.meta.dirname, '../../fixtures/kube');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const plain = texts.filter((text) => !/planted-secret|--token/.test(text));
    assert.ok(plain.length > 5);
    for (const text of plain) assert.equal(sanitizeText(text), text);
  });
});

describe('the sanitizer of a log', () => {
  const log = [
    'loading key',
    '-----BEGIN RSA PRIVATE KEY-----',
    'Proc-Type: 4,ENCRYPTED',
    '',
    'MIIEpAIBAAKCAQEA2a2rwplBQLF29amygykEMmYz0+Kcj3bKBp29P2rFj7VxQ1Zs',
    'c2hvcnQ=',
    '-----END RSA PRIVATE KEY-----',
    'ready',
  ];

  it('hides every line of a private key, and keeps one line for each (SZ-14)', () => {
    const sanitize = createLineSanitizer();
    const hidden = '[REDACTED]';
    assert.deepEqual(log.map(sanitize), ['loading key', hidden, hidden, '', hidden, hidden, hidden, 'ready']);
  });

  it('goes on with what follows a key that does not end', () => {
    const sanitize = createLineSanitizer();
    assert.deepEqual(
      ['-----BEGIN PRIVATE KEY-----', 'TUlJRQ==', 'level=info msg="never mind"', 'TUlJRQ=='].map(sanitize),
      ['[REDACTED]', '[REDACTED]', 'level=info msg="never mind"', 'TUlJRQ=='],
    );
  });

  it('hides a whole block of a text at once, and what stands in it', () => {
    assert.equal(sanitizeText(log.join('\n')), 'loading key\n[REDACTED]\nready');
    assert.equal(sanitizeText('a\n-----BEGIN PRIVATE KEY-----\nnever ends'), 'a\n[REDACTED]');
  });

  it('keeps the kinds of line breaks', () => {
    assert.equal(
      sanitizeText('password: x\r\nok\n\ntoken: abc1'),
      'password: [REDACTED]\r\nok\n\ntoken: [REDACTED]',
    );
  });
});
