/** What orchestration and monitoring ask. */

import { renderMetrics } from '../../actors/metrics.ts';
import type { Pool } from '../../store/pool.ts';
import { refuse } from '../refusal.ts';
import type { Route } from '../route.ts';
import { openRoute } from '../route.ts';
import { object, text } from '../schemas.ts';

const DATABASE_PATIENCE_MS = 2_000;

const status = (words: string) => ({ kind: 'json', status: 200, body: { status: words } }) as const;

export const opsRoutes: readonly Route[] = [
  openRoute({
    method: 'GET',
    path: '/healthz',
    summary: 'Whether the process answers.',
    reason: 'a liveness probe has no credential, and the answer says nothing about anybody',
    answer: object({ status: text }),
    handle: async () => status('ok'),
  }),
  openRoute({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether the backend takes work: database and NATS answer, and it is not draining.',
    reason: 'a readiness probe has no credential, and the answer says nothing about anybody',
    answer: object({ status: text }),
    async handle({ backend }) {
      const ready = backend.ready() && (await answers(backend.pool));
      return ready ? status('ready') : refuse(503, 'not_ready', 'the backend takes no work now');
    },
  }),
  openRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in Prometheus text format.',
    reason:
      'scrapers come without a caller; the figures are sums over all tenants and carry no name of theirs',
    answer: null,
    async handle() {
      const { body, contentType } = await renderMetrics();
      return { kind: 'text', status: 200, text: body, contentType };
    },
  }),
];

/** True when the database answers in time. */
async function answers(pool: Pool): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), DATABASE_PATIENCE_MS);
  const asked = pool.query('select 1').then(
    () => true,
    () => false,
  );
  const answered = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answered;
}
