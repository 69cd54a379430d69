/** The visualizer's files: read once, served under an address that changes with their content. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Asset {
  readonly text: string;
  readonly contentType: string;
}

export interface Assets {
  /** Hash over all files: part of each one's address, so that a browser may keep them for ever. */
  readonly version: string;
  /** The page itself, with the addresses of its files in it. */
  readonly page: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const FOLDER = new URL('./page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the files. The layout library is its own module for browsers, as it comes with its package. */
export function readAssets(): Assets {
  const files = new Map<string, Asset>();
  const hash = createHash('sha256');
  const add = (name: string, text: string): void => {
    hash.update(`${name}\0${text}\0`);
    const contentType = TYPES[name.split('.').at(-1) ?? ''];
    if (contentType !== undefined) files.set(name, { text, contentType });
  };
  for (const name of readdirSync(FOLDER).sort()) {
    if (/\.(js|css|svg|html)$/.test(name)) add(name, readFileSync(new URL(name, FOLDER), 'utf8'));
  }
  const dagre = readFileSync(fileURLToPath(import.meta.resolve('@dagrejs/dagre')), 'utf8');
  // Its source map is not served.
  add('dagre.js', dagre.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  const version = hash.digest('hex').slice(0, 16);
  const page = readFileSync(new URL('actors.html', FOLDER), 'utf8').replaceAll(
    '%assets%',
    `/debug/assets/${version}`,
  );
  return { version, page, files };
}
