import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureNatsServer } from '../../actors/natsBinary.ts';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import { createKubeApi } from '../../agent/kubeApi.ts';
import { REQUEST_BOUNDS } from '../../agent/kubeRequest.ts';
import { connectNats } from '../../agent/natsLink.ts';
import { createIdentity } from '../../agent/nkey.ts';
import { selfSigned } from '../../sim/certificate.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, jwtOf } from './samples.ts';
import { temporaryFolder } from './scripted.ts';

describe("the agent's TLS", function () {
  this.timeout(60_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const server = selfSigned();
  const stranger = selfSigned();
  const path = (name: string): string => join(folder.path, name);

  before(async () => {
    folder = await temporaryFolder();
    await writeFile(path('server.pem'), server.certificate);
    await writeFile(path('server.key'), server.key);
    await writeFile(path('stranger.pem'), stranger.certificate);
  });
  after(() => folder.remove());

  it('connects to a NATS server of a private CA only with its CA file (CF-13)', async () => {
    const port = await freePort();
    await writeFile(
      path('nats.conf'),
      `listen: "127.0.0.1:${port}"\ntls { cert_file: "${path('server.pem')}", key_file: "${path('server.key')}" }\n`,
    );
    const program = await ensureNatsServer({ binDir: join(import.meta.dirname, '../../.proxima/bin') });
    const nats = spawn(program, ['-c', path('nats.conf')], { stdio: 'ignore' });
    try {
      await listening(port);
      const kept = keepLog();
      const open = (caFile: string | null, withinMs: number) =>
        connectNats({
          servers: [`tls://127.0.0.1:${port}`],
          caFile,
          agentId: AGENT_ID,
          seed: createIdentity().seed,
          jwt: () => jwtOf(0, 3600),
          refused: () => undefined,
          signal: AbortSignal.timeout(withinMs),
          log: kept.log,
          reconnectWaitMs: 50,
        });
      for (const caFile of [null, path('stranger.pem')]) {
        assert.equal(await open(caFile, 700), null);
        const codes = kept.lines.splice(0).map(({ fields }) => fields.code);
        assert.deepEqual([...new Set(codes)], ['DEPTH_ZERO_SELF_SIGNED_CERT']);
      }
      const link = await open(path('server.pem'), 10_000);
      assert.ok(link);
      assert.ok(link.isConnected());
      await link.drain();
    } finally {
      nats.kill('SIGKILL');
      await once(nats, 'exit');
    }
  });

  it('reads an API server only with the certificate authority of its kubeconfig', async () => {
    const api = https.createServer({ cert: server.certificate, key: server.key }, (_, response) =>
      response.end('{"items":[]}'),
    );
    api.listen(0, '127.0.0.1');
    await once(api, 'listening');
    try {
      const list = async (ca: string): Promise<number> => {
        const url = `https://127.0.0.1:${(api.address() as AddressInfo).port}`;
        await writeFile(path('kubeconfig'), kubeconfig(url, ca));
        const access = await openKubeAccess(path('kubeconfig'));
        try {
          const client = createKubeApi(access, 'spec', { ...REQUEST_BOUNDS, attempts: 1 });
          const o = { signal: AbortSignal.timeout(5000), onStart: () => undefined, onItem: () => undefined };
          return (await client.list('/api/v1/pods', o)).listed;
        } finally {
          access.close();
        }
      };
      assert.equal(await list(server.certificate), 0);
      await assert.rejects(list(stranger.certificate), { status: 0 });
    } finally {
      api.closeAllConnections();
      api.close();
      await once(api, 'close');
    }
  });
});

const kubeconfig = (server: string, ca: string): string =>
  JSON.stringify({
    'current-context': 'spec',
    clusters: [
      {
        name: 'spec',
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      },
    ],
    users: [{ name: 'spec', user: { token: 'token' } }],
    contexts: [{ name: 'spec', context: { cluster: 'spec', user: 'spec' } }],
  });

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    const open = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      sleep(1000, false),
    ]);
    socket.destroy();
    if (open) return;
    await sleep(25);
  }
  throw new Error('nats-server does not listen');
}
