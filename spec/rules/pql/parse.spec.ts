import { deepEqual, equal, match, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { Pql, PqlFields } from '../../../rules/pql/parse.ts';
import { fieldsIn, parsePql } from '../../../rules/pql/parse.ts';
import { anyPql } from '../../support/anyPql.ts';

const FIELDS: PqlFields = {
  'host.os': 'text',
  'cluster.name': 'text',
  'workload.image': 'texts',
  'pod.restarts': 'number',
};

const os = (value: string): Pql => ({ kind: 'text', field: 'host.os', operator: '=', value });

/** A query as text again, every group in brackets. */
function write(pql: Pql): string {
  switch (pql.kind) {
    case 'and':
    case 'or':
      return `(${pql.parts.map(write).join(` ${pql.kind.toUpperCase()} `)})`;
    case 'not':
      return `NOT ${write(pql.part)}`;
    case 'number':
      return `${pql.field} ${pql.operator} ${pql.value}`;
    case 'text':
      return `${pql.field} ${pql.operator} "${pql.value.replace(/["\\]/g, '\\$&')}"`;
  }
}

const anyQuery = anyPql({
  textFields: ['host.os', 'cluster.name', 'workload.image'],
  text: fc.string({ maxLength: 12, unit: 'grapheme' }).filter((text) => !text.includes('\0')),
  numberFields: ['pod.restarts'],
  number: fc.nat(),
  maxDepth: 4,
});

describe('parsePql', () => {
  it('reads a comparison, a pattern and a combination (PQ-02, PQ-03, PQ-06)', () => {
    deepEqual(parsePql('host.os = "Ubuntu"', FIELDS), { ok: true, pql: os('Ubuntu') });
    deepEqual(parsePql('cluster.name = "k8s-prod-01" AND host.os = "Ubuntu"', FIELDS), {
      ok: true,
      pql: {
        kind: 'and',
        parts: [{ kind: 'text', field: 'cluster.name', operator: '=', value: 'k8s-prod-01' }, os('Ubuntu')],
      },
    });
  });

  it('binds NOT tighter than AND, and AND tighter than OR', () => {
    const parsed = parsePql('host.os="a" or not host.os="b" and host.os="c"', FIELDS);
    deepEqual(parsed, {
      ok: true,
      pql: {
        kind: 'or',
        parts: [os('a'), { kind: 'and', parts: [{ kind: 'not', part: os('b') }, os('c')] }],
      },
    });
  });

  it('reads what it wrote: any query, any text in quotes', () => {
    fc.assert(
      fc.property(anyQuery, (pql) => {
        const text = write(pql);
        if (text.length > 2000) return;
        const parsed = parsePql(text, FIELDS);
        ok(parsed.ok, JSON.stringify(parsed));
        // Groups of one kind inside one another come back as they were written, bracket by bracket.
        deepEqual(write(parsed.pql), text);
      }),
    );
  });

  for (const [source, position, problem] of [
    ['', 1, /expects a field/],
    ['   ', 1, /expects a field/],
    ['host.os', 8, /expects =, !=, ~ or !~/],
    ['host.os = ', 10, /text in double quotes/],
    ['host.os = Ubuntu', 11, /text in double quotes/],
    ['host.os = "Ubuntu', 11, /closing quote/],
    ['host.os = "a\\n"', 11, /backslash/],
    ['host.os = "a" host.os = "b"', 15, /AND, OR or the end/],
    ['host.os = "a" AND', 18, /expects a field/],
    ['(host.os = "a"', 15, /expects \)/],
    ['host.os = "a")', 14, /AND, OR or the end/],
    ['host.nothing = "a"', 1, /the fields are host\.os/],
    ['host.os = "a" AND constructor = "b"', 19, /not there/],
    ['host.os < "a"', 9, /expects =, !=, ~ or !~/],
    ['pod.restarts ~ "3"', 14, /expects =, !=, <,/],
    ['pod.restarts > "3"', 16, /whole number/],
    ['pod.restarts > 3x', 16, /starts nothing/],
    ['host.os = "a"; drop table hosts', 14, /starts nothing/],
    ["host.os = 'a'", 11, /starts nothing/],
    [`${'('.repeat(40)}host.os = "a"`, 33, /nested deeper than 32/],
    [`${'NOT '.repeat(40)}host.os = "a"`, 129, /nested deeper than 32/],
    [`host.os = "${'a'.repeat(2000)}"`, 1, /longer than 2000/],
    [Array.from({ length: 65 }, () => 'host.os="a"').join(' or '), 961, /more than 64/],
    ['host.os = "\0"', 11, /NUL/],
  ] as const) {
    it(`names the place of the fault in ${JSON.stringify(source.slice(0, 40))}`, () => {
      const parsed = parsePql(source, FIELDS);
      ok(!parsed.ok);
      match(parsed.problem, problem);
      equal(parsed.position, position);
    });
  }

  it('answers every text, whatever it is, without an exception', () => {
    const parts = fc.constantFrom(
      'host.os',
      '=',
      '~',
      '"',
      '\\',
      '(',
      ')',
      'AND',
      'NOT',
      '1',
      ' ',
      'é',
      '\0',
      '*',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((all) => all.join('')),
        ),
        (source) => {
          const parsed = parsePql(source, FIELDS);
          if (!parsed.ok) ok(parsed.position >= 1 && parsed.position <= source.length + 1);
        },
      ),
    );
  });

  it('tells which fields a query asks for', () => {
    const parsed = parsePql('NOT (host.os = "a" OR cluster.name ~ "b*") AND pod.restarts > 1', FIELDS);
    ok(parsed.ok);
    deepEqual([...fieldsIn(parsed.pql)].sort(), ['cluster.name', 'host.os', 'pod.restarts']);
  });
});
