/** The visualizer (design section 4): the page, its stream, the same in JSON, and the machine's exports. */

import type { ActorView, TransitionView } from '../../actors/inspector.ts';
import { clusterMachine } from '../../machines/cluster.ts';
import { diagramOf } from '../../machines/diagram.ts';
import { machineJson } from '../../machines/machineJson.ts';
import { toMermaid } from '../../machines/mermaid.ts';
import { LIVE_LANES } from '../../machines/vocabulary.ts';
import type { Schema } from '../../wire/kinds/define.ts';
import { many, one } from '../answer.ts';
import { named, placeNames } from '../debug/actorRows.ts';
import { actorStream } from '../debug/actorStream.ts';
import type { Assets } from '../debug/assets.ts';
import { readAssets } from '../debug/assets.ts';
import { listPages, pageOf, textParam } from '../params.ts';
import { notFound, refuse } from '../refusal.ts';
import type { Route } from '../route.ts';
import { openRoute, systemRoute } from '../route.ts';
import { count, dataOf, listOf, nullable, object, pageMeta, text, time } from '../schemas.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const FOREVER = 'public, max-age=31536000, immutable';

const actorProperties: Readonly<Record<keyof ActorView | 'client' | 'environment' | 'slug', Schema>> = {
  key: text,
  client: nullable(text),
  environment: nullable(text),
  slug: text,
  state: { type: 'object', additionalProperties: text },
  queue: count,
  reads_waiting: count,
  lanes_busy: count,
  syncing_since: nullable(time),
  last_outcome: nullable(text),
  last_outcome_at: nullable(time),
  failures: count,
  transitions: count,
  crashes: count,
  changed_at: time,
};

const transitionProperties: Readonly<Record<keyof TransitionView, Schema>> = {
  number: count,
  at: time,
  edge: text,
  region: text,
  event: text,
  guards: { type: 'array', items: object({ name: text, held: { type: 'boolean' } }) },
  from: text,
  to: text,
  outcome: nullable(text),
};

const actor = object(actorProperties);
const diagram = diagramOf(clusterMachine);
let assets: Assets | null = null;
const ours = (): Assets => {
  assets ??= readAssets();
  return assets;
};

const pageRoutes: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: '/debug/actors',
    summary: 'The visualizer: every cluster actor, its statechart and what it did last.',
    page: true,
    answer: null,
    async handle() {
      const headers = { 'Content-Security-Policy': POLICY };
      return {
        kind: 'text',
        status: 200,
        text: ours().page,
        contentType: 'text/html; charset=utf-8',
        headers,
      };
    },
  }),
  openRoute({
    method: 'GET',
    path: '/debug/assets/:version/:file',
    summary: 'Get a script or style of the visualizer.',
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
  systemRoute({
    method: 'GET',
    path: '/debug/actors/stream',
    summary: 'Follow the actors as server-sent events: all of them, then those that change.',
    answer: null,
    async handle({ backend }) {
      const following = backend.inspector.follow();
      if (following === null) {
        return refuse(503, 'too_many_followers', 'too many pages follow the actors already', {
          headers: { 'Retry-After': '10' },
        });
      }
      const { pool: db, now, log } = backend;
      return {
        kind: 'stream',
        status: 200,
        stream: actorStream({ following, db, now, log }),
        contentType: 'text/event-stream; charset=utf-8',
        // A proxy that gathers an answer before it passes it on would hold every event back.
        headers: { 'X-Accel-Buffering': 'no' },
      };
    },
  }),
];

const apiRoutes: readonly Route[] = [
  systemRoute({
    method: 'GET',
    path: '/debug/api/actors',
    summary: 'List the actors of this process, by client, environment and cluster.',
    query: { ...listPages, q: textParam('Only actors whose place or slug holds this text.') },
    answer: listOf(actor, pageMeta),
    async handle({ backend, query }) {
      const names = await placeNames(backend.pool);
      const rows = backend.inspector
        .list()
        .map((view) => ({ row: named(names, view) }))
        .map(({ row }) => ({ row, path: `${row.client}/${row.environment}/${row.slug}` }))
        .filter(({ path }) => query.q === null || path.includes(query.q))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ row }) => row);
      const { page, perPage } = pageOf(query);
      const shown = rows.slice((page - 1) * perPage, page * perPage);
      return many(shown, { total: rows.length, page, per_page: perPage });
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/debug/api/actors/:environment/:slug',
    summary: 'Get an actor with its last transitions, newest first.',
    refusals: [404],
    answer: dataOf(object({ actor, transitions: { type: 'array', items: object(transitionProperties) } })),
    async handle({ backend, params }) {
      const found = backend.inspector.get(`${params.environment}/${params.slug}`);
      if (found === null) return notFound('actor');
      const names = await placeNames(backend.pool);
      return one({ actor: named(names, found.actor), transitions: found.transitions });
    },
  }),
  systemRoute({
    method: 'GET',
    path: '/debug/api/machine',
    summary: 'Get the statechart of a cluster actor as nodes and edges.',
    answer: dataOf(object({ diagram: { type: 'object' }, live_lanes: count })),
    handle: async () => one({ diagram, live_lanes: LIVE_LANES }),
  }),
  systemRoute({
    method: 'GET',
    path: '/debug/machine.mmd',
    summary: 'Get the statechart as Mermaid text.',
    answer: null,
    handle: async () => ({
      kind: 'text',
      status: 200,
      text: `${toMermaid(diagram)}\n`,
      contentType: 'text/plain; charset=utf-8',
    }),
  }),
  systemRoute({
    method: 'GET',
    path: '/debug/machine.json',
    summary: 'Get the statechart as a configuration of XState.',
    answer: { type: 'object' },
    handle: async () => ({ kind: 'json', status: 200, body: machineJson(clusterMachine) }),
  }),
];

export const debugRoutes: readonly Route[] = [...pageRoutes, ...apiRoutes];
