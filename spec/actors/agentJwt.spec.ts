import assert from 'node:assert/strict';
import type { NatsConnection } from 'nats';
import { headers } from 'nats';
import { fromPublic, fromSeed } from 'nkeys.js';
import { createJwtIssuer, verifySignature } from '../../actors/agentJwt.ts';
import { credsText, signClaims } from '../../actors/natsClaims.ts';
import { connectNats } from '../../actors/natsLink.ts';
import { createNkey, nkeyFromSeed } from '../../actors/nkey.ts';
import type { Sender } from '../../wire/subjects.ts';
import { agentInbox, commandSubject, dataSubject } from '../../wire/subjects.ts';
import { type NatsUnderTest, startNats } from '../support/nats.ts';

const alice: Sender = {
  client: 'acme',
  environment: 'prod',
  agentId: '7b0c2a52-0000-4000-8000-00000000000a',
};
const bob: Sender = { client: 'acme', environment: 'prod', agentId: '7b0c2a52-0000-4000-8000-00000000000b' };

describe('nkeys', () => {
  it('make the same keys and signatures as the NATS library, for each role', () => {
    for (const role of ['operator', 'account', 'user'] as const) {
      const ours = createNkey(role);
      const theirs = fromSeed(Buffer.from(ours.seed));
      assert.equal(theirs.getPublicKey(), ours.publicKey);
      assert.deepEqual(Buffer.from(theirs.sign(Buffer.from('text'))), ours.sign(Buffer.from('text')));
      assert.equal(nkeyFromSeed(ours.seed).publicKey, ours.publicKey);
      assert.ok(fromPublic(ours.publicKey).verify(Buffer.from('text'), ours.sign(Buffer.from('text'))));
    }
  });

  it('verify a signature only over the same bytes, by the same user key', () => {
    const user = createNkey('user');
    const body = Buffer.from('{"name":"agent"}');
    const signature = user.sign(body).toString('base64url');
    assert.equal(verifySignature(user.publicKey, body, signature), true);
    assert.equal(verifySignature(user.publicKey, Buffer.from('{"name":"agenT"}'), signature), false);
    assert.equal(verifySignature(createNkey('user').publicKey, body, signature), false);
    const account = createNkey('account');
    const byAccount = account.sign(body).toString('base64url');
    assert.equal(verifySignature(account.publicKey, body, byAccount), false);
    for (const nonsense of ['', 'x', '====', signature.slice(2)]) {
      assert.equal(verifySignature(user.publicKey, body, nonsense), false);
      assert.equal(verifySignature(nonsense, body, signature), false);
    }
  });

  it('refuse a seed with one letter changed', () => {
    const { seed } = createNkey('account');
    const broken = seed.slice(0, 20) + (seed[20] === 'A' ? 'B' : 'A') + seed.slice(21);
    assert.throws(() => nkeyFromSeed(broken), /not an nkey seed/);
  });
});

describe("an agent's JWT on a nats-server (contracts.md section 7)", () => {
  let nats: NatsUnderTest;
  let agent: NatsConnection;

  before(async () => {
    nats = await startNats();
    const backend = await connectNats(nats.backend, 5_000);
    await backend.ensureStream({ maxBytes: 64 * 1024 ** 2, ackWaitMs: 5_000 });
    await backend.close();
    agent = await nats.connectAgent(alice);
  });
  after(() => nats.stop());

  const refusal = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'allowed',
      (error: { code?: string }) => error.code ?? 'no code',
    );

  it('lets it publish its own snapshot and get the acknowledgement in its own inbox', async () => {
    const ack = await agent.jetstream().publish(dataSubject(alice, 'kubernetes'), Buffer.from('{}'));
    assert.equal(ack.stream, 'EVENTS');
  });

  it("refuses another agent's subjects, its own command subject and the JetStream API", async () => {
    const refused = [
      dataSubject(bob, 'kubernetes'),
      dataSubject({ ...alice, client: 'other' }, 'kubernetes'),
      dataSubject(bob, 'heartbeat'),
      `proxima.acme.prod.${alice.agentId}.logs`,
      commandSubject(alice.agentId),
      commandSubject(bob.agentId),
      '$JS.API.STREAM.PURGE.EVENTS',
      '$JS.API.STREAM.DELETE.EVENTS',
      '$JS.API.CONSUMER.MSG.NEXT.EVENTS.kubernetes-worker',
    ];
    for (const subject of refused) {
      const code = await refusal(agent.request(subject, '', { timeout: 2_000 }));
      assert.equal(code, 'PERMISSIONS_VIOLATION', subject);
    }
  });

  it("refuses wide subscriptions and another agent's commands and inbox", async () => {
    for (const subject of [
      '>',
      'proxima.>',
      'proxima.*.*.*.kubernetes',
      commandSubject('*'),
      commandSubject(bob.agentId),
      `${agentInbox(bob.agentId)}.>`,
      '_INBOX.>',
      '_INBOX_backend.>',
    ]) {
      const heard = new Promise<string>((resolve) => {
        agent.subscribe(subject, { callback: (error) => resolve(error?.code ?? 'message') });
      });
      assert.equal(await heard, 'PERMISSIONS_VIOLATION', subject);
    }
  });

  it('lets it answer a command once, and only where the asker listens', async () => {
    agent.subscribe(commandSubject(alice.agentId), {
      callback: (_error, message) => {
        message.respond('first');
        message.respond('second');
      },
    });
    await agent.flush();
    const backend = await nats.connectAs(nats.backend);
    const answers: string[] = [];
    const inbox = `${nats.backend.inboxPrefix}.answers`;
    backend.subscribe(inbox, { callback: (_error, message) => answers.push(message.string()) });
    backend.publish(commandSubject(alice.agentId), '', { reply: inbox, headers: headers() });
    await backend.flush();
    await agent.flush();
    await backend.flush();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(answers, ['first']);
  });

  it('ends with its life: an expired JWT is refused', async () => {
    const issuer = createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: nats.keys.signing.seed,
      lifeSeconds: 60,
      now: () => new Date(Date.now() - 120_000),
    });
    const user = createNkey('user');
    const creds = credsText(await issuer.issue(alice, user.publicKey), user.seed);
    const code = await refusal(
      nats.connectAs({ url: nats.url, creds, inboxPrefix: agentInbox(alice.agentId) }),
    );
    assert.equal(code, 'AUTHORIZATION_VIOLATION');
  });

  it('opens nothing when it names no permissions: the account denies what no user is allowed', async () => {
    const user = createNkey('user');
    const jwt = signClaims(
      {
        name: 'forgotten',
        sub: user.publicKey,
        type: 'user',
        nats: { subs: -1, data: -1, payload: -1, issuer_account: nats.keys.account.publicKey },
        issuedAt: new Date(),
        expiresAt: null,
      },
      nats.keys.signing,
    );
    const stranger = await nats.connectAs({
      url: nats.url,
      creds: credsText(jwt, user.seed),
      inboxPrefix: agentInbox(bob.agentId),
    });
    const heard = new Promise<string>((resolve) => {
      stranger.subscribe('proxima.>', { callback: (error) => resolve(error?.code ?? 'message') });
    });
    agent.publish(dataSubject(alice, 'heartbeat'), Buffer.from('{}'));
    await agent.flush();
    assert.equal(await heard, 'PERMISSIONS_VIOLATION');
    const code = await refusal(stranger.request(dataSubject(alice, 'kubernetes'), '', { timeout: 2_000 }));
    assert.equal(code, 'PERMISSIONS_VIOLATION');
  });

  it('counts only when the account key signed it: a stranger with the same claims is refused', async () => {
    const issuer = createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: createNkey('account').seed,
    });
    const user = createNkey('user');
    const creds = credsText(await issuer.issue(alice, user.publicKey), user.seed);
    const code = await refusal(
      nats.connectAs({ url: nats.url, creds, inboxPrefix: agentInbox(alice.agentId) }),
    );
    assert.equal(code, 'AUTHORIZATION_VIOLATION');
  });
});
