/** From the text of a setting to its value; null for a text that is not one. */

import { isIP } from 'node:net';
import type { Level } from '../actors/log.ts';
import { LOG_LEVELS } from '../actors/log.ts';
import { parseDuration } from '../rules/duration.ts';

/** True for a URL of one of these schemes. */
export function isUrl(text: string, schemes: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol.slice(0, -1));
}

/** Milliseconds of a duration of more than zero. */
export function positiveDuration(text: string): number | null {
  const ms = parseDuration(text);
  return ms !== null && ms > 0 ? ms : null;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** Bytes of a size such as `4GiB`. */
export function readBytes(text: string): number | null {
  const [, amount = '', unit = ''] = /^([0-9]{1,15})\s?([KMGT]iB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * (UNITS[unit] ?? 0);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : null;
}

/** A port number; 0 stands for any free one. */
export function readPort(text: string): number | null {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : -1;
  return port >= 0 && port <= 65535 ? port : null;
}

/** An address or a name to listen on: no scheme, no port. */
export const readHost = (text: string): string | null =>
  isIP(text) !== 0 || /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/.test(text) ? text : null;

export const readLevel = (text: string): Level | null => LOG_LEVELS.find((level) => level === text) ?? null;

/** True for on, false for off. */
export function readSwitch(text: string): boolean | null {
  if (/^(on|true|1)$/i.test(text)) return true;
  return /^(off|false|0)$/i.test(text) ? false : null;
}

const SAMPLERS = /^(?:parentbased_)?(always_on|always_off|traceidratio)$/;

/** Share of traces that a standard sampler keeps, 0 to 1; `share` is its argument, for the one that has one. */
export function readSampler(text: string, share: number): number | null {
  const [, kind] = SAMPLERS.exec(text) ?? [];
  if (kind === undefined) return null;
  return kind === 'traceidratio' ? share : Number(kind === 'always_on');
}

/** A number from 0 to 1. */
export function readShare(text: string): number | null {
  const share = /^(?:0|1|0?\.[0-9]{1,9}|1\.0+)$/.test(text) ? Number(text) : -1;
  return share >= 0 && share <= 1 ? share : null;
}
