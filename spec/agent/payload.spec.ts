import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJwtIssuer } from '../../actors/agentJwt.ts';
import { type NatsLink as BackendLink, connectNats as connectBackend } from '../../actors/natsLink.ts';
import type { NatsLink } from '../../agent/natsLink.ts';
import { connectNats } from '../../agent/natsLink.ts';
import { createIdentity } from '../../agent/nkey.ts';
import type { PublishOptions, PublishOutcome } from '../../agent/publish.ts';
import { publishSnapshot } from '../../agent/publish.ts';
import { decodeSnapshot, encodeSnapshot } from '../../wire/inventory.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { Sender } from '../../wire/subjects.ts';
import { applicationOf, factsOf, noise, workloadOf } from '../support/heavy.ts';
import type { NatsUnderTest } from '../support/nats.ts';
import { startNats } from '../support/nats.ts';
import { snapshotOf } from '../support/snapshots.ts';
import { keepLog } from './quietLog.ts';
import { AGENT_ID, eventually } from './samples.ts';

const from: Sender = { client: 'acme', environment: 'prod', agentId: AGENT_ID };
const WAITS = { windowMs: 15_000, attemptMs: 2000, firstPauseMs: 50 };
const LIMIT = 64 * 1024;

/** How many bytes each part of a snapshot takes: three small ones and a base fit into the limit together. */
interface Weights {
  readonly base?: number;
  readonly facts?: number;
  readonly rows?: number;
  readonly applications?: number;
}

const SMALL = 4 * 1024;
const LARGE = 100 * 1024;

function weighing({ base = SMALL, facts = SMALL, rows = SMALL, applications = SMALL }: Weights): Snapshot {
  return snapshotOf(
    {
      workloads: [
        { ...workloadOf('api'), strategy: noise(base), spec_facts: factsOf(noise(facts)) },
        { ...workloadOf('web'), spec_facts: factsOf('PORT') },
      ],
      argocd: {
        state: 'ok',
        in_cluster_names: [],
        applications: [applicationOf('shop', 1, noise(applications), noise(rows)), applicationOf('none', 0)],
      },
    },
    {
      agent_id: AGENT_ID,
      coverage: {
        deployments: { state: 'complete', listed: 2, sent: 2 },
        applications: { state: 'complete', listed: 2, sent: 2 },
      },
    },
  );
}

const withoutFacts = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  data: {
    ...snapshot.data,
    workloads: snapshot.data.workloads.map(({ spec_facts: _, ...workload }) => workload),
  },
});

describe('an inventory near the limit of the NATS server', function () {
  this.timeout(60_000);
  let nats: NatsUnderTest;
  let backend: BackendLink;
  let link: NatsLink;
  // Ended by nobody: the time limit of each test is the one that counts.
  const { signal } = new AbortController();

  before(async () => {
    nats = await startNats(String(LIMIT));
    backend = await connectBackend(nats.backend, 10_000, () => undefined);
    await backend.ensureStream({ maxBytes: 256 * 1024 * 1024, ackWaitMs: 30_000 });
    const identity = createIdentity();
    const jwt = await createJwtIssuer({
      account: nats.keys.account.publicKey,
      signingSeed: nats.keys.signing.seed,
    }).issue(from, identity.publicKey);
    const connected = await connectNats({
      servers: [nats.url],
      caFile: null,
      agentId: AGENT_ID,
      seed: identity.seed,
      jwt: () => jwt,
      refused: () => undefined,
      signal,
      log: keepLog().log,
      reconnectWaitMs: 100,
    });
    assert.ok(connected);
    link = connected;
  });
  after(async () => {
    assert.equal(await backend.pull(1000), null, 'more was sent than expected');
    await link.drain();
    await backend.close();
    await nats.stop();
  });
  const publish = (snapshot: Snapshot, o: Partial<PublishOptions> = {}): Promise<PublishOutcome> =>
    publishSnapshot({
      link,
      from,
      snapshot,
      accepts: [],
      mayPublish: () => true,
      signal,
      waits: WAITS,
      ...o,
    });

  /** The next message, so that one more than expected fails the spec after it; the last one is looked for at the end. */
  async function arrived(): Promise<Snapshot> {
    const delivery = await patiently();
    assert.ok(delivery);
    delivery.ack();
    const decoded = await decodeSnapshot(delivery.bytes, delivery.contentEncoding);
    assert.ok(decoded.ok, JSON.stringify(decoded));
    return decoded.snapshot;
  }

  for (const accepts of [[], ['gzip']]) {
    describe(accepts.length === 0 ? 'sent as it is' : 'sent compressed (D12)', () => {
      it('is sent whole, in one message, when it fits (PL-01)', async () => {
        const snapshot = weighing({});
        const outcome = await publish(snapshot, { accepts });
        assert.ok(outcome.kind === 'published');
        assert.equal(outcome.shed, null);
        assert.equal(outcome.completeBytes, encodeSnapshot(snapshot).length);
        assert.deepEqual(await arrived(), snapshot);
      });

      it('lacks the spec facts of every workload, and only those, after the first step (PL-04, PL-05)', async () => {
        const snapshot = weighing({ facts: LARGE });
        const outcome = await publish(snapshot, { accepts });
        assert.equal(outcome.shed, 'spec_facts_dropped');
        assert.equal(outcome.completeBytes, encodeSnapshot(snapshot).length, 'the complete one (PL-08)');
        assert.deepEqual(await arrived(), withoutFacts(snapshot));
      });

      it('lacks the rows of Applications, too, after the second (PL-04)', async () => {
        const snapshot = weighing({ facts: LARGE, rows: LARGE });
        assert.equal((await publish(snapshot, { accepts })).shed, 'argocd_rows_dropped');
        const sent = withoutFacts(snapshot);
        const [shop, none] = sent.data.argocd?.applications ?? [];
        assert.ok(shop && none && sent.data.argocd);
        assert.deepEqual(await arrived(), {
          ...sent,
          data: {
            ...sent.data,
            argocd: { ...sent.data.argocd, applications: [{ ...shop, resources: null }, none] },
          },
        });
      });

      it('has no Applications, and says that they were too large, after the third (PL-04)', async () => {
        const snapshot = weighing({ applications: LARGE });
        assert.equal((await publish(snapshot, { accepts })).shed, 'argocd_applications_dropped');
        const { argocd: _, ...data } = withoutFacts(snapshot).data;
        assert.deepEqual(await arrived(), {
          ...snapshot,
          data,
          coverage: {
            ...snapshot.coverage,
            applications: { state: 'error', listed: 2, sent: 0, reason: 'too_large' },
          },
        });
      });

      it('is not sent at all when no step suffices (PL-03, PL-06)', async () => {
        const outcome = await publish(weighing({ base: LARGE }), { accepts });
        assert.ok(outcome.kind === 'too_large');
        assert.equal(outcome.shed, 'inventory_dropped');
        assert.ok(outcome.limit < LIMIT, 'room for the headers is left');
      });

      it('arrives up to the last byte that the limit leaves', async () => {
        const { limit } = (await publish(weighing({ base: LARGE }))) as PublishOutcome & {
          kind: 'too_large';
        };
        const bare = (strategy: string): Snapshot =>
          snapshotOf({ workloads: [{ ...workloadOf('a'), strategy }] }, { agent_id: AGENT_ID });
        const room = limit - encodeSnapshot(bare('')).length;
        assert.equal((await publish(bare('x'.repeat(room)))).kind, 'published');
        await arrived();
        assert.equal((await publish(bare('x'.repeat(room + 1)))).kind, 'too_large');
      });
    });
  }

  it('is made smaller when the server comes back with a lower limit', async () => {
    const snapshot = weighing({ facts: 40 * 1024 });
    const outcome = await publishWhileAway(snapshot, () => nats.restart(500, String(32 * 1024)));
    assert.equal(outcome.kind, 'published');
    assert.equal(outcome.shed, 'spec_facts_dropped');
    assert.deepEqual(await arrived(), withoutFacts(snapshot));
    await nats.restart(0, String(LIMIT));
    await eventually(() => link.isConnected() && link.maxPayload() === LIMIT, 10_000);
    assert.equal((await publish(snapshot)).shed, null);
    await arrived();
  });

  it('is not sent by an agent that no longer leads when its connection is back (D11)', async () => {
    let leads = true;
    const outcome = await publishWhileAway(
      weighing({}),
      async () => {
        leads = false;
        await nats.restart(500, String(LIMIT));
      },
      () => leads,
    );
    assert.deepEqual([outcome.kind, outcome.shed], ['not_leading', null]);
  });

  /** The reader's own connection may not be back yet. */
  async function patiently(): ReturnType<BackendLink['pull']> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await backend.pull(5000);
      } catch (error) {
        if (attempt === 10) throw error;
        await sleep(200);
      }
    }
  }

  /** Begins to publish while the server is away. */
  async function publishWhileAway(
    snapshot: Snapshot,
    comeBack: () => Promise<void>,
    mayPublish = () => true,
  ): Promise<PublishOutcome> {
    const back = comeBack();
    await eventually(() => !link.isConnected(), 10_000);
    const publishing = publish(snapshot, { mayPublish });
    await back;
    return publishing;
  }
});
