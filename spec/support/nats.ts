/** A real nats-server in operator mode for a spec, with the credentials of everybody it knows. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from 'nats';
import { connect, credsAuthenticator } from 'nats';
import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { type EmbeddedNats, startEmbeddedNats } from '../../actors/embeddedNats.ts';
import { ensureNatsServer } from '../../actors/natsBinary.ts';
import { credsText } from '../../actors/natsClaims.ts';
import type { NatsKeys } from '../../actors/natsKeys.ts';
import type { NatsAddress } from '../../actors/natsLink.ts';
import { createNkey } from '../../actors/nkey.ts';
import type { Sender } from '../../wire/subjects.ts';
import { agentInbox } from '../../wire/subjects.ts';

const BIN_DIR = join(import.meta.dirname, '../../.proxima/bin');
const STORE_BYTES = 8 * 1024 ** 3;

export interface NatsUnderTest {
  readonly url: string;
  readonly keys: NatsKeys;
  readonly backend: NatsAddress;
  readonly system: NatsAddress;
  /** Fresh credentials of an agent: a new nkey, a JWT as enrollment gives it. */
  agentAddress(sender: Sender): Promise<NatsAddress>;
  /** A connection with an agent's credentials, closed by `stop`. */
  connectAgent(sender: Sender): Promise<NatsConnection>;
  /** A connection with any credentials, closed by `stop`. */
  connectAs(address: NatsAddress): Promise<NatsConnection>;
  /** Stops the server and starts it again on the same port over the same store, perhaps with another limit. */
  restart(downMs?: number, maxPayload?: string): Promise<void>;
  /** Ends the server with `kill -9` and starts it again after a while, on the same port over the same store. */
  crash(downMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one on a free port with an empty store of its own; NATS_SERVER names a program that replaces the one found. */
export async function startNats(maxPayload?: string): Promise<NatsUnderTest> {
  const path = process.env.NATS_SERVER ?? (await ensureNatsServer({ binDir: BIN_DIR }));
  const dir = await mkdtemp(join(tmpdir(), 'proxima-nats-'));
  const pidFile = join(dir, 'pid');
  const program = join(dir, 'program');
  await writeFile(
    program,
    '#!/bin/sh\necho $$ >"$PID_FILE"\nexec "$REAL" "$@"\n'
      .replace('$PID_FILE', pidFile)
      .replace('$REAL', path),
    {
      mode: 0o700,
    },
  );
  const start = (limit: string | undefined, port?: number): Promise<EmbeddedNats> =>
    startEmbeddedNats({
      dir,
      program,
      maxStoreBytes: STORE_BYTES,
      ...(limit === undefined ? {} : { maxPayload: limit }),
      ...(port === undefined ? {} : { port }),
    });
  let server = await start(maxPayload);
  const { url, keys, backend, system } = server;
  const open = new Set<NatsConnection>();
  const issuer = createJwtIssuer({ account: keys.account.publicKey, signingSeed: keys.signing.seed });
  const connectAs = async (address: NatsAddress): Promise<NatsConnection> => {
    const connection = await connect({
      servers: address.url,
      authenticator: credsAuthenticator(new TextEncoder().encode(address.creds)),
      inboxPrefix: address.inboxPrefix,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
    });
    open.add(connection);
    return connection;
  };
  const agentAddress = async (sender: Sender): Promise<NatsAddress> => {
    const user = createNkey('user');
    const jwt = await issuer.issue(sender, user.publicKey);
    return { url, creds: credsText(jwt, user.seed), inboxPrefix: agentInbox(sender.agentId) };
  };
  return {
    url,
    keys,
    backend,
    system,
    agentAddress,
    connectAs,
    connectAgent: async (sender) => connectAs(await agentAddress(sender)),
    async restart(downMs = 0, limit = maxPayload) {
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await start(limit, Number(new URL(url).port));
    },
    async crash(downMs) {
      process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGKILL');
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await start(maxPayload, Number(new URL(url).port));
    },
    async stop() {
      await Promise.all([...open].map((connection) => connection.close()));
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
