import { equal, match, ok } from 'node:assert/strict';
import { createNkey } from '../../actors/nkey.ts';
import type { BackendUnderTest, PlaceIds } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

const PATH = '/api/v1/install-tokens';
const HOUR_MS = 3_600_000;

describe('install tokens (contracts.md section 4)', () => {
  let backend: BackendUnderTest;
  let place: PlaceIds;
  let token: string;

  before(async () => {
    backend = await startBackend();
    place = await backend.place('acme', 'prod');
    token = await backend.tokenFor({ role: 'admin', ...place });
  });
  after(() => backend.stop());

  const make = async (more: object = {}) => {
    const body = { environment_id: place.environment_id, ...more };
    const { status, json, text } = await backend.ask(PATH, { method: 'POST', token, body });
    equal(status, 201, text);
    return json.data;
  };
  const lifeOf = (made: Readonly<Record<string, unknown>>): number =>
    Date.parse(String(made.expires_at)) - backend.now().getTime();

  it('live 24 hours and take 5 agents, or what they were made for', async () => {
    const usual = await make();
    equal(usual.max_agents, 5);
    equal(usual.cluster_slug, null);
    ok(Math.abs(lifeOf(usual) - 24 * HOUR_MS) < 10_000);
    const other = await make({ max_agents: 2, expires_in_hours: 3, cluster_slug: 'k8s-1' });
    equal(other.max_agents, 2);
    equal(other.cluster_slug, 'k8s-1');
    ok(Math.abs(lifeOf(other) - 3 * HOUR_MS) < 10_000);
  });

  it('are shown once and stored as a hash', async () => {
    const secret = String((await make()).token);
    match(secret, /^pxi_[\w-]{43}$/);
    ok(!(await backend.ask(PATH, { token })).text.includes(secret));
    const { rows } = await backend.pool.query('select row_to_json(t)::text as text from install_tokens t');
    for (const { text } of rows) ok(!text.includes(secret));
  });

  it('are spent by the last agent that they take', async () => {
    const secret = String((await make({ max_agents: 2 })).token);
    const statuses: number[] = [];
    for (const name of ['a-0', 'a-1', 'a-2']) {
      const nkey = createNkey('user');
      const body = JSON.stringify({
        install_token: secret,
        agent_type: 'collector',
        name,
        cluster_name: 'Spent',
        cluster_slug: 'spent',
        cluster_uid: null,
        agent_version: '0.9.0',
        nkey: nkey.publicKey,
      });
      const signature = nkey.sign(Buffer.from(body)).toString('base64url');
      const headers = { 'X-Proxima-Signature': signature };
      const answer = await backend.ask('/api/v1/agents/enroll', { method: 'POST', body, headers });
      statuses.push(answer.status);
    }
    equal(statuses.join(), '200,200,401');
  });
});
