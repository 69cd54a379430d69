/** The page that renders the OpenAPI document, and its files: ours, and Swagger UI's as they come with its package. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Asset, Assets } from '../debug/assets.ts';

const FOLDER = new URL('./page/', import.meta.url);
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** Reads the files; 1.9 MB, most of it the renderer. */
export function readDocsAssets(): Assets {
  const renderer = (name: string): string =>
    readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8')
      // Its source maps are not served.
      .replace(/\n(\/\/# sourceMappingURL=.*|\/\*# sourceMappingURL=.*\*\/)\s*$/, '\n');
  const own = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
  const files = new Map<string, Asset>([
    ['swagger-ui-bundle.js', { text: renderer('swagger-ui-bundle.js'), contentType: SCRIPT }],
    ['swagger-ui.css', { text: renderer('swagger-ui.css'), contentType: STYLE }],
    ['docs.js', { text: own('docs.js'), contentType: SCRIPT }],
    ['docs.css', { text: own('docs.css'), contentType: STYLE }],
  ]);
  const hash = createHash('sha256');
  for (const [name, { text }] of files) hash.update(`${name}\0${text}\0`);
  const version = hash.digest('hex').slice(0, 16);
  const page = own('docs.html').replaceAll('%assets%', `/api/docs/assets/${version}`);
  return { version, page, files };
}
