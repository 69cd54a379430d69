import { deepEqual, equal, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../agent/config.ts';
import type { KubeAccess } from '../../agent/kubeAccess.ts';
import { openKubeAccess } from '../../agent/kubeAccess.ts';
import { createKubeApi, KubeError } from '../../agent/kubeApi.ts';
import { REQUEST_BOUNDS } from '../../agent/kubeRequest.ts';
import { openServiceAccount } from '../../agent/serviceAccount.ts';
import { selfSigned } from '../../sim/certificate.ts';
import { temporaryFolder } from './scripted.ts';

describe("access as the pod's ServiceAccount", () => {
  const first = selfSigned();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: https.Server;
  let accepted: string;
  let asked: string[];
  let access: KubeAccess | null;

  const serve = async (certificate: typeof first, port = 0): Promise<void> => {
    server = https.createServer(
      { cert: certificate.certificate, key: certificate.key },
      (request, response) => {
        const token = request.headers.authorization ?? '';
        asked.push(token);
        response.writeHead(token === `Bearer ${accepted}` ? 200 : 401, {
          'Content-Type': 'application/json',
        });
        response.end('{"gitVersion":"v1.37.2"}');
      },
    );
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stopServer = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const port = (): string => String((server.address() as AddressInfo).port);
  const put = (name: string, text: string) => writeFile(join(folder.path, name), text);
  const open = async (readAgainMs?: number): Promise<KubeAccess> => {
    access = await openServiceAccount({
      address: { host: '127.0.0.1', port: port() },
      dir: folder.path,
      ...(readAgainMs === undefined ? {} : { readAgainMs }),
    });
    return access;
  };
  const version = (from: KubeAccess) =>
    createKubeApi(from, 'spec', { ...REQUEST_BOUNDS, attempts: 1 }).get('/version', {
      signal: AbortSignal.timeout(5_000),
    });

  beforeEach(async () => {
    folder = await temporaryFolder();
    accepted = 'one';
    asked = [];
    access = null;
    await put('token', 'one\n');
    await put('ca.crt', first.certificate);
    await serve(first);
  });
  afterEach(async () => {
    access?.close();
    await stopServer();
    await folder.remove();
  });

  it('reads the API with the token and the CA of the pod, over one connection', async () => {
    const opened = await open();
    deepEqual(await version(opened), { gitVersion: 'v1.37.2' });
    await version(opened);
    deepEqual(asked, ['Bearer one', 'Bearer one']);
    equal(opened.serverUrl, `https://127.0.0.1:${port()}`);
  });

  it('takes a rotated token at the next look, and at once when the old one is refused', async () => {
    const opened = await open(50);
    await version(opened);
    accepted = 'two';
    await put('token', 'two');
    await sleep(60);
    await version(opened);
    deepEqual(asked, ['Bearer one', 'Bearer two']);

    const patient = await openServiceAccount({
      address: { host: '127.0.0.1', port: port() },
      dir: folder.path,
    });
    accepted = 'three';
    await put('token', 'three');
    await version(patient);
    patient.close();
    deepEqual(asked.slice(2), ['Bearer two', 'Bearer three']);
  });

  it('takes a rotated CA, and trusts no server of another one', async () => {
    const opened = await open(0);
    await version(opened);
    const second = selfSigned();
    const where = Number(port());
    await stopServer();
    await serve(second, where);
    await rejects(version(opened), (error) => error instanceof KubeError && error.status === 0);
    await put('ca.crt', second.certificate);
    await version(opened);
  });

  it('goes on with the token that it has while the file is away', async () => {
    const opened = await open(0);
    await rm(join(folder.path, 'token'));
    await version(opened);
    deepEqual(asked, ['Bearer one']);
  });

  it('says which file is missing, and that this is no pod', async () => {
    await rm(join(folder.path, 'ca.crt'));
    await rejects(open(), /ca\.crt of the pod's ServiceAccount cannot be read/);
    await put('ca.crt', first.certificate);
    await put('token', ' \n');
    await rejects(open(), /token .* is empty/);
    await rejects(openKubeAccess(null, null), /no KUBECONFIG is set and this is not a pod/);
  });

  it('is found by the address that Kubernetes gives to every pod', () => {
    const addressIn = (env: Record<string, string>) => {
      const read = readConfig({
        PROXIMA_CLUSTER_NAME: 'x',
        PROXIMA_BACKEND_URL: 'http://localhost',
        ...env,
      });
      return read.ok ? read.config.podAddress : read.faults;
    };
    const pod = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    deepEqual(addressIn(pod), { host: 'fd00::1', port: '443' });
    equal(addressIn({}), null);
  });

  it('brackets an IPv6 address', async () => {
    const opened = await openServiceAccount({ address: { host: 'fd00::1', port: '443' }, dir: folder.path });
    equal(opened.serverUrl, 'https://[fd00::1]:443');
    opened.close();
  });
});
