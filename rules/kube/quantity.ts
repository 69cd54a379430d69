/**
 * Kubernetes quantities ("500m", "1Gi", "0.1Gi", "1e3") without floating point: 0.1Gi is 107374182400m, a value that a
 * double can't hold. Grammar, rounding and canonical form are those of apimachinery's resource.Quantity.
 */

/** A quantity: its value in billionths, the finest that Kubernetes keeps, and the family its spelling belongs to. */
export interface Quantity {
  readonly nanos: bigint;
  readonly family: 'decimal' | 'binary' | 'exponent';
}

const SPELLING = /^([+-]?)(\d*)(?:\.(\d*))?(?:([numkMGTPE])|([KMGTPE])i|[eE]([+-]?\d{1,3}))?$/;
/** Longer texts are no quantities; the bound keeps a hostile one from costing quadratic time. */
const MAX_SPELLING = 64;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

const NANO = 1_000_000_000n;
/** Binary quantities stop here (resource.Quantity maxAllowed). */
const MAX_BINARY = (2n ** 63n - 1n) * NANO;

/** Reads a quantity, rounded away from zero to billionths; null when the text is none. */
export function parseQuantity(text: string): Quantity | null {
  if (text === '' || text.length > MAX_SPELLING) return null;
  const match = SPELLING.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', decimal, binary, exponent] = match;
  // Kubernetes reads a suffix without digits as zero.
  const unscaled = BigInt(whole + fraction);
  if (binary !== undefined) {
    const scaled = unscaled * 1024n ** BigInt('KMGTPE'.indexOf(binary) + 1);
    const nanos = shift(scaled, 9 - fraction.length);
    return { nanos: signed(sign, nanos > MAX_BINARY ? MAX_BINARY : nanos), family: 'binary' };
  }
  const scale = decimal === undefined ? Number(exponent ?? 0) : (DECIMAL_EXPONENTS[decimal] as number);
  return {
    nanos: signed(sign, shift(unscaled, scale + 9 - fraction.length)),
    family: exponent === undefined ? 'decimal' : 'exponent',
  };
}

const signed = (sign: string | undefined, value: bigint): bigint => (sign === '-' ? -value : value);

/** `value` times ten to the `places`, rounded up when places are cut. `value` is not negative. */
function shift(value: bigint, places: number): bigint {
  if (places >= 0) return value * 10n ** BigInt(places);
  return divideUp(value, 10n ** BigInt(-places));
}

/** Integer division away from zero: asking for a bit of something yields some of it. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

/**
 * The canonical spelling: the largest suffix that leaves an integer. A binary quantity keeps its family only as a
 * whole number of 1024 or more, so "0.1Gi" turns decimal; a suffixless number never becomes binary. Above exa the
 * number grows, where resource.Quantity loses the suffix and prints 1000E as 1.
 */
export function formatQuantity({ nanos, family }: Quantity): string {
  if (nanos === 0n) return '0';
  const size = nanos < 0n ? -nanos : nanos;
  if (family === 'binary' && size % NANO === 0n && size >= 1024n * NANO) return formatBinary(nanos / NANO);
  let number = nanos;
  let exponent = -9;
  while (number % 1000n === 0n && (family === 'exponent' || exponent < 18)) {
    number /= 1000n;
    exponent += 3;
  }
  if (family === 'exponent') return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  return `${number}${DECIMAL_SUFFIXES[exponent / 3 + 3]}`;
}

function formatBinary(value: bigint): string {
  let number = value;
  let power = 0;
  while (number % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    number /= 1024n;
    power++;
  }
  return `${number}${BINARY_SUFFIXES[power]}`;
}

/** Its JSON decoder takes blanks around a quantity, its parser does not. */
const spelling = (value: string | number): string => String(value).trim();

/** Canonical spelling of a quantity as the API gives it; a custom resource may hold a JSON number. Other text stays. */
export function canonicalQuantity(value: string | number): string {
  const quantity = parseQuantity(spelling(value));
  return quantity === null ? String(value) : formatQuantity(quantity);
}

/** The same map with canonical values, keys in their order; `{}` for none. */
export const canonicalQuantities = (
  amounts: Readonly<Record<string, string | number>> | null | undefined,
): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts ?? {}).map(([name, value]) => [name, canonicalQuantity(value)]));

/** Billionths of a quantity; null for none and for text that is no quantity. */
export const nanosOf = (value: string | number | null | undefined): bigint | null =>
  value === null || value === undefined ? null : (parseQuantity(spelling(value))?.nanos ?? null);

const MAX_INT32 = 2_147_483_647n;

/** Thousandths, rounded up, within a 32-bit integer: CPU in millicores (contracts.md section 1). Null stays null. */
export const millisUp = (nanos: bigint | null): number | null => toNumber(nanos, 1_000_000n, MAX_INT32);

/** Whole units, rounded up, within the integers that JSON holds exactly: bytes. Null stays null. */
export const unitsUp = (nanos: bigint | null): number | null =>
  toNumber(nanos, NANO, BigInt(Number.MAX_SAFE_INTEGER));

/** Whole units within a 32-bit integer: a count of pods. Null stays null. */
export const countUp = (nanos: bigint | null): number | null => toNumber(nanos, NANO, MAX_INT32);

function toNumber(nanos: bigint | null, unit: bigint, max: bigint): number | null {
  if (nanos === null) return null;
  const value = divideUp(nanos, unit);
  if (value > max) return Number(max);
  if (value < -max) return Number(-max);
  return Number(value);
}
