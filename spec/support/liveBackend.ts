/** The backend's HTTP half over a running half on a real nats-server, with agents that are played by hand. */

import { ok } from 'node:assert/strict';
import type { LiveReads } from '../../actors/liveReads.ts';
import { createLog } from '../../actors/log.ts';
import type { System } from '../../actors/system.ts';
import { startSystem } from '../../actors/system.ts';
import { recordHeartbeat } from '../../store/agents.ts';
import type { KubeQuery } from '../../wire/kubeQuery.ts';
import { commandSubject } from '../../wire/subjects.ts';
import type { BackendUnderTest } from '../http/backendUnderTest.ts';
import { startBackend } from '../http/backendUnderTest.ts';
import { QUICK } from './ingest.ts';
import type { NatsUnderTest } from './nats.ts';
import { startNats } from './nats.ts';

/** Short enough to wait for in a spec. */
export const LIVE_TIMEOUT_MS = 1_000;

/** An agent that was played; `answer` gets each request, and what it answers is sent as it is. Null is silence. */
export interface PlayedAgent {
  readonly id: string;
  readonly asked: KubeQuery[];
}

export interface LiveBackend {
  readonly backend: BackendUnderTest;
  readonly nats: NatsUnderTest;
  readonly system: System;
  /** A cluster of acme/prod; answers its id. */
  cluster(slug: string): Promise<string>;
  /** Has its agent be heard of just now under this version, and perhaps answer. */
  play(
    slug: string,
    o: { version?: string; answer?: (query: KubeQuery) => unknown; silent?: true },
  ): Promise<PlayedAgent>;
  stop(): Promise<void>;
}

export async function startLiveBackend(): Promise<LiveBackend> {
  const nats = await startNats();
  let live: Pick<LiveReads, 'askLive'> | undefined;
  const backend = await startBackend({
    live: {
      askLive(...asked) {
        ok(live);
        return live.askLive(...asked);
      },
    },
  });
  const system = await startSystem({
    pool: backend.pool,
    nats: nats.backend,
    log: createLog('error'),
    options: { ...QUICK, liveTimeoutMs: LIVE_TIMEOUT_MS, now: backend.now },
  });
  live = system.live;
  return {
    backend,
    nats,
    system,
    cluster: (slug) => backend.cluster({ client: 'acme', environment: 'prod', slug }),
    async play(slug, { version = 'v0.9.0', answer, silent }) {
      const { rows } = await backend.pool.query<{ id: string }>(
        'select id from agents where cluster_slug = $1 and deleted_at is null',
        [slug],
      );
      const id = rows[0]?.id ?? '';
      await recordHeartbeat(backend.pool, {
        agentId: id,
        agentVersion: version,
        epoch: null,
        at: backend.now(),
      });
      const asked: KubeQuery[] = [];
      if (answer === undefined && silent === undefined) return { id, asked };
      const connection = await nats.connectAgent({ client: 'acme', environment: 'prod', agentId: id });
      connection.subscribe(commandSubject(id), {
        callback(_, message) {
          const query = JSON.parse(message.string()) as KubeQuery;
          asked.push(query);
          const reply = answer?.(query);
          if (reply === undefined) return;
          message.respond(Buffer.from(typeof reply === 'string' ? reply : JSON.stringify(reply)));
        },
      });
      await connection.flush();
      return { id, asked };
    },
    async stop() {
      await system.stop();
      await backend.stop();
      await nats.stop();
    },
  };
}
