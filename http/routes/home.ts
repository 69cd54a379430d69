/** The first page: what there is, and where. */

import { plainPage } from '../plainPage.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';

const { html, policy } = plainPage({
  body: `
<p class="dim">Inventory of Kubernetes clusters.</p>
<ul class="card">
  <li><a href="/login">Sign in</a><span>with a token; or sign out</span></li>
  <li><a href="/debug/actors">Actors</a><span>what every cluster's actor does now, for administrators</span></li>
  <li><a href="/api/docs">API</a><span>its description, to read and to try; the API itself is below /api/v1</span></li>
  <li><a href="/readyz">Readiness</a><span>whether this backend takes work</span></li>
</ul>`,
});

export const homeRoutes: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/',
    summary: 'A page that says what there is.',
    reason: 'it is the same for everybody and only names paths that any reader of the documentation knows',
    answer: null,
    handle: async () => ({
      kind: 'text',
      status: 200,
      text: html,
      contentType: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': policy },
    }),
  }),
];
