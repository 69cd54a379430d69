/** The API's description for people to read and try. */

import { readDocsAssets } from '../apiDocs/docsAssets.ts';
import type { Assets } from '../debug/assets.ts';
import { notFound } from '../refusal.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';

/** The renderer draws with styles set by its script, which the policy allows, and icons written into its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FOREVER = 'public, max-age=31536000, immutable';

let assets: Assets | null = null;
const ours = (): Assets => {
  assets ??= readDocsAssets();
  return assets;
};

export const apiDocsRoutes: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/api/docs',
    summary: 'A page that shows this API and lets a caller try it.',
    reason: 'it describes the program, not what it holds',
    answer: null,
    handle: async () => ({
      kind: 'text',
      status: 200,
      text: ours().page,
      contentType: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': POLICY },
    }),
  }),
  openRoute({
    method: 'GET',
    path: '/api/docs/assets/:version/:file',
    summary: 'Get a script or style of the page that shows this API.',
    reason: 'they are files of the program and hold nothing of anybody',
    refusals: [404],
    answer: null,
    async handle({ params }) {
      const { version, files } = ours();
      const asset = params.version === version ? files.get(params.file ?? '') : undefined;
      if (asset === undefined) return notFound('file');
      return { kind: 'text', status: 200, ...asset, headers: { 'Cache-Control': FOREVER } };
    },
  }),
];
