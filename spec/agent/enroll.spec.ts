import assert from 'node:assert/strict';
import { verifySignature } from '../../actors/agentJwt.ts';
import type { EnrollOutcome } from '../../agent/enroll.ts';
import { enroll } from '../../agent/enroll.ts';
import { createIdentity } from '../../agent/nkey.ts';
import type { EnrollRequest } from '../../wire/enroll.ts';
import { enrollRequestSchema } from '../../wire/enroll.ts';
import { compileSchema } from '../../wire/validate.ts';
import { keepLog } from './quietLog.ts';
import { enrollmentOf } from './samples.ts';
import type { Script, ScriptedServer } from './scripted.ts';
import { answer, startScripted } from './scripted.ts';

const identity = createIdentity();
const REQUEST: EnrollRequest = {
  install_token: 'hunter2',
  agent_type: 'collector',
  name: 'prod-collector',
  cluster_name: 'Prod',
  cluster_slug: 'prod',
  cluster_uid: null,
  agent_version: 'v0.9.0',
  nkey: identity.publicKey,
};

describe('enrollment', () => {
  let server: ScriptedServer;
  let kept: ReturnType<typeof keepLog>;
  beforeEach(() => {
    kept = keepLog();
  });
  afterEach(() => server.stop());

  async function enrollAgainst(script: Script, signal = AbortSignal.timeout(10_000)): Promise<EnrollOutcome> {
    server = await startScripted(script);
    return enroll({
      backendUrl: server.url,
      request: REQUEST,
      identity,
      signal,
      log: kept.log,
      firstWaitMs: 5,
    });
  }
  const refusedWith = (status: number, code: string, details = {}): Promise<EnrollOutcome> =>
    enrollAgainst((_, response) => answer(response, status, { error: { code, message: 'm', details } }));

  it('sends one request as a collector, signed by the nkey that it binds (EN-01)', async () => {
    const outcome = await enrollAgainst((_, response) => answer(response, 201, enrollmentOf()));
    assert.ok(outcome.kind === 'enrolled');
    assert.deepEqual(outcome.enrollment, { ...enrollmentOf(), jwt: outcome.enrollment.jwt });
    assert.equal(server.received.length, 1);
    const [request] = server.received;
    assert.ok(request);
    assert.equal(request.method, 'POST');
    assert.equal(request.url.pathname, '/api/v1/agents/enroll');
    assert.ok(compileSchema(enrollRequestSchema)(JSON.parse(request.body)).ok);
    assert.equal(JSON.parse(request.body).agent_type, 'collector');
    const signature = String(request.headers['x-proxima-signature']);
    assert.ok(verifySignature(identity.publicKey, Buffer.from(request.body), signature));
  });

  it('stops at a token that is not accepted, and names the variable', async () => {
    const outcome = await refusedWith(401, 'invalid_install_token');
    assert.ok(outcome.kind === 'refused');
    assert.match(outcome.message, /PROXIMA_INSTALL_TOKEN/);
    assert.equal(server.received.length, 1);
  });

  it('explains that the state was lost, and the remedy (EN-03, EN-05, EN-06)', async () => {
    const outcome = await refusedWith(409, 'already_enrolled', { held_by: 'this_cluster' });
    assert.ok(outcome.kind === 'refused');
    assert.match(outcome.message, /prod-collector of cluster prod is already enrolled.*state\.json was lost/);
    assert.match(outcome.message, /delete its record \(DELETE .api.v1.agents.\{id\}/);
  });

  it('explains that another cluster holds the slug', async () => {
    const outcome = await refusedWith(409, 'already_enrolled', { held_by: 'another_cluster' });
    assert.ok(outcome.kind === 'refused');
    assert.match(outcome.message, /by another cluster.*choose another PROXIMA_CLUSTER_SLUG/);
  });

  it('explains a copied data folder', async () => {
    const outcome = await refusedWith(409, 'nkey_in_use');
    assert.ok(outcome.kind === 'refused');
    assert.match(outcome.message, /PROXIMA_AGENT_DATA_DIR was copied or is shared/);
  });

  it('names the URL when something else than the backend refuses, and follows no redirect with the token', async () => {
    const outcome = await enrollAgainst((_, response) => {
      response.writeHead(307, { Location: 'http://127.0.0.1:1/steal' });
      response.end();
    });
    assert.ok(outcome.kind === 'refused');
    assert.match(outcome.message, /status 307.*PROXIMA_BACKEND_URL/);
  });

  it('asks again, with the same bytes, while the backend is broken, busy or something else, and never logs the token', async () => {
    const outcome = await enrollAgainst((_, response) => {
      switch (server.received.length) {
        case 1:
          return void response.destroy();
        case 2:
          return answer(response, 503, {});
        case 3:
          return answer(response, 429, {}, { 'Retry-After': '0' });
        case 4:
          return answer(response, 200, { welcome: true });
        default:
          return answer(response, 200, enrollmentOf());
      }
    });
    assert.equal(outcome.kind, 'enrolled');
    assert.equal(server.received.length, 5);
    assert.equal(new Set(server.received.map(({ body }) => body)).size, 1);
    assert.equal(kept.lines.length, 4);
    assert.doesNotMatch(JSON.stringify(kept.lines), /hunter2/);
  });

  it('takes no answer whose slugs would forge a subject', async () => {
    const outcome = await enrollAgainst((_, response) =>
      answer(response, 200, enrollmentOf(server.received.length === 1 ? { client: '*.x' } : {})),
    );
    assert.equal(outcome.kind, 'enrolled');
    assert.equal(server.received.length, 2);
  });

  it('ends when the agent is stopped, with the backend silent', async () => {
    const outcome = await enrollAgainst(() => undefined, AbortSignal.timeout(100));
    assert.deepEqual(outcome, { kind: 'cancelled' });
  });
});
