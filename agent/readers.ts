/** How the agent's settings are read from text, one reader per form. A reader answers the value or a {@link Fault}. */

import { parseDuration } from '../rules/duration.ts';

/** Why a text is not accepted, as a predicate: "must be ...". It never holds the text. */
export class Fault {
  readonly problem: string;

  constructor(problem: string) {
    this.problem = problem;
  }
}

export type Reader<T> = (text: string) => T | Fault;

export const text =
  (maxLength: number): Reader<string> =>
  (value) =>
    value.length > maxLength ? new Fault(`must have at most ${maxLength} characters`) : value;

export const oneOf =
  <const T extends string>(values: readonly T[]): Reader<T> =>
  (value) =>
    values.find((known) => known === value) ?? new Fault(`must be one of ${values.join(', ')}`);

export const integer =
  (min: number, max: number): Reader<number> =>
  (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : new Fault(`must be an integer from ${min} to ${max}`);
  };

/** Milliseconds. The bounds are given as they are to be written in the message. */
export const duration =
  (min: string, max: string): Reader<number> =>
  (value) => {
    const ms = parseDuration(value);
    const inside = ms !== null && ms >= (parseDuration(min) ?? 0) && ms <= (parseDuration(max) ?? 0);
    return inside ? ms : new Fault(`must be a duration from ${min} to ${max}, written like 5m or 1h30m`);
  };

/** A URL of one of the schemes, without a trailing slash. */
export const url =
  (schemes: readonly string[]): Reader<string> =>
  (value) =>
    isUrl(value, schemes)
      ? value.replace(/\/+$/, '')
      : new Fault(`must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);

/** URLs separated by commas. */
export const urls =
  (schemes: readonly string[]): Reader<readonly string[]> =>
  (value) => {
    const all = split(value);
    return all.length > 0 && all.every((one) => isUrl(one, schemes))
      ? all
      : new Fault(`must be URLs that start with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
  };

const isUrl = (value: string, schemes: readonly string[]): boolean =>
  URL.canParse(value) && schemes.includes(new URL(value).protocol);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Namespace names (RFC 1123 labels) separated by commas. A pattern such as `kube-*` would silently exclude nothing. */
export const namespaces: Reader<ReadonlySet<string>> = (value) => {
  const names = split(value);
  return names.every((name) => LABEL.test(name))
    ? new Set(names)
    : new Fault('must be namespace names separated by commas');
};

const IN_CLUSTER_NAME = /^[A-Za-z0-9._-]{1,253}$/;
/** Most in-cluster names that are used (AA-12). */
export const MAX_IN_CLUSTER_NAMES = 20;

export interface InClusterNames {
  /** Without repetitions, in the order given. */
  readonly names: readonly string[];
  /** How many of the given ones are not used: ill-formed, or beyond the limit. */
  readonly dropped: number;
}

/** Names of ArgoCD clusters separated by commas. A bad one is dropped, for it must never stop the agent (AA-12). */
export const inClusterNames = (value: string): InClusterNames => {
  const given = [...new Set(split(value))];
  const names = given.filter((name) => IN_CLUSTER_NAME.test(name)).slice(0, MAX_IN_CLUSTER_NAMES);
  return { names, dropped: given.length - names.length };
};

const SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** Longest slug that the backend takes (wire/enroll). */
export const MAX_SLUG = 512;

/** Any length up to what the backend takes: only a slug derived from a name is warned about (X-20). */
export const slug: Reader<string> = (value) =>
  SLUG.test(value) && value.length <= MAX_SLUG
    ? value
    : new Fault('must consist of lower-case letters, digits and inner dashes');

/** Where to listen; `host` null means every interface. Port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string | null;
  readonly port: number;
}

/** As Go's net.Listen reads it: `:9090`, `127.0.0.1:9090`, `[::1]:9090`. */
export const listenAddress: Reader<ListenAddress> = (value) => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) return new Fault('must be an address such as :9090');
  return { host: bracketed ?? (plain === '' || plain === undefined ? null : plain), port: Number(port) };
};

const split = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
