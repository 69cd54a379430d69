import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  canonicalQuantities,
  canonicalQuantity,
  countUp,
  formatQuantity,
  millisUp,
  nanosOf,
  parseQuantity,
  unitsUp,
} from '../../../rules/kube/quantity.ts';

/** Text, canonical form (null: no quantity), thousandths and whole units (null: outside int64), by k8s.io/apimachinery 0.37.2. */
const printed: [string, string | null, number | null, number | null][] = JSON.parse(
  readFileSync(new URL('../../fixtures/kube/quantity-as-apimachinery-prints.json', import.meta.url), 'utf8'),
);

const suffix = fc.constantFrom(
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'e3',
  'E-2',
  'e+1',
);
const spelled = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat(999_999)), suffix)
  .map(([sign, whole, fraction, end]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${end}`);

describe('rules/kube/quantity', () => {
  it('reads, rounds and prints as resource.Quantity does', () => {
    for (const [text, canonical, millis, units] of printed) {
      const quantity = parseQuantity(text);
      equal(quantity === null ? null : formatQuantity(quantity), canonical, text);
      if (millis !== null) equal(millisUp(nanosOf(text)), millis, text);
      if (units !== null) equal(unitsUp(nanosOf(text)), units, text);
    }
    ok(printed.length > 400);
  });

  it('is idempotent: a canonical spelling is its own', () => {
    fc.assert(
      fc.property(spelled, (text) => {
        const once = canonicalQuantity(text);
        equal(canonicalQuantity(once), once);
      }),
    );
  });

  it('keeps the value: the canonical spelling means the same number', () => {
    fc.assert(
      fc.property(spelled, (text) => {
        const nanos = nanosOf(text);
        equal(nanosOf(canonicalQuantity(text)), nanos);
        equal(millisUp(nanosOf(canonicalQuantity(text))), millisUp(nanos));
        equal(unitsUp(nanosOf(canonicalQuantity(text))), unitsUp(nanos));
      }),
    );
  });

  it('rounds up, never below the value and never a whole unit above it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nanos) => {
        const millis = BigInt(millisUp(nanos) ?? 0) * 1_000_000n;
        ok(millis >= nanos && millis - nanos < 1_000_000n);
      }),
    );
  });

  it('stays within the integers that a row can hold', () => {
    equal(millisUp(nanosOf('3000000')), 2_147_483_647);
    equal(countUp(nanosOf('3G')), 2_147_483_647);
    equal(unitsUp(nanosOf('8Ei')), Number.MAX_SAFE_INTEGER);
    equal(unitsUp(nanosOf('-8Ei')), -Number.MAX_SAFE_INTEGER);
    equal(unitsUp(nanosOf('512Gi')), 512 * 1024 ** 3);
  });

  it('takes the JSON numbers that a custom resource may hold, and leaves other text as it is', () => {
    equal(canonicalQuantity(0.5), '500m');
    equal(canonicalQuantity(1e21), '1e21');
    equal(canonicalQuantity(' 1Gi '), '1Gi');
    equal(canonicalQuantity('a lot'), 'a lot');
    equal(nanosOf('a lot'), null);
    deepEqual(canonicalQuantities({ cpu: '0.25', memory: '1024Mi' }), { cpu: '250m', memory: '1Gi' });
    deepEqual(canonicalQuantities(undefined), {});
  });

  it('refuses a spelling of hostile length at once', () => {
    equal(parseQuantity('9'.repeat(1_000_000)), null);
    equal(parseQuantity('1e999999999'), null);
  });
});
