import { deepEqual, equal, ok } from 'node:assert/strict';
import { shrink } from '../../rules/shrink.ts';
import type { Snapshot } from '../../wire/snapshot.ts';
import type { WorkloadSpecFacts } from '../../wire/specFacts.ts';
import { syncRig } from '../support/syncing.ts';
import { factsOf, sentWorkload, snapshotAt } from '../support/workloads.ts';

describe('parts that an agent dropped for size', () => {
  const rig = syncRig();
  const { query, stored } = rig;

  const whole = (minute: number, facts: WorkloadSpecFacts): Snapshot =>
    snapshotAt(rig.agent, minute, { workloads: [sentWorkload('api', facts), sentWorkload('web', facts)] });
  /** The same without the facts, as the agent sends it when the whole does not fit. */
  const shrunk = (minute: number, facts: WorkloadSpecFacts): Snapshot => {
    const smaller = shrink(whole(minute, facts), null);
    ok(smaller?.shed === 'spec_facts_dropped');
    return smaller.snapshot;
  };
  const summaries = async () =>
    (await query('select summary from change_events order by summary')).map(({ summary }) => summary);
  const tagged = (tag: string) => factsOf({ image: `shop/api:${tag}` });

  it('never look like a change: whole, dropped, whole again leaves no record (PL-10)', async () => {
    await stored(whole(0, tagged('1')));
    equal((await stored(shrunk(1, tagged('1')))).facts.records, 0, 'PL-05');
    await stored(shrunk(2, tagged('1')));
    equal((await stored(whole(3, tagged('1')))).facts.records, 0);
    deepEqual(await summaries(), []);
  });

  it('show what changed meanwhile as soon as the whole arrives again (PL-10)', async () => {
    await stored(whole(0, tagged('1')));
    await stored(shrunk(1, tagged('2')));
    deepEqual(await summaries(), [], 'PL-05');
    await stored(whole(2, tagged('2')));
    equal((await summaries()).length, 2);
  });
});
