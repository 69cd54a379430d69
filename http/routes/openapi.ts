/** The description of the API, made of the routes themselves. */

import { readFileSync } from 'node:fs';
import { openApiOf } from '../openapi.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Routes that describe the others, given by a function because they are among them. */
export function openApiRoutes(routes: () => readonly Route[]): readonly Route[] {
  let document: Record<string, unknown> | null = null;
  return [
    openRoute({
      method: 'GET',
      path: '/api/openapi.json',
      summary: 'Get the OpenAPI 3.1 document of this API.',
      reason: 'it describes the program, not what it holds',
      answer: { type: 'object' },
      async handle() {
        document ??= openApiOf(routes(), manifest.version);
        return { kind: 'json', status: 200, body: document, sameness: document };
      },
    }),
  ];
}
