import { deepEqual, equal, ok } from 'node:assert/strict';
import { MAX_OBJECT_BYTES, type ManifestData, type RevisionsData } from '../../../wire/kubeQuery.ts';
import { type LiveRig, startLiveRig } from './liveRig.ts';

/** So many variables, of some 50 bytes each when their values are redacted. */
const variables = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`VARIABLE_${at}`, value]));

describe("the agent's live reads of objects", function () {
  this.timeout(60_000);
  let rig: LiveRig;
  beforeEach(async () => {
    rig = await startLiveRig();
  });
  afterEach(() => rig?.stop());

  const edit = (env: Record<string, string>) =>
    rig.cluster.editConfig('deployments', rig.place.namespace, rig.place.name, { env });

  it('takes the templates from the oldest revisions when 512 KiB are used up, with a note (LV-09)', async () => {
    for (let round = 0; round < 8; round++) edit(variables(2000, 'v'.repeat(round + 1)));
    const reply = await rig.ask({ op: 'revisions' });
    ok(reply.ok, JSON.stringify(reply));
    const { revisions, notes } = reply.data as RevisionsData;
    ok(revisions.length >= 8);
    const shown = revisions.filter(({ pod_template }) => pod_template !== null).length;
    ok(shown >= 2 && shown < revisions.length, `${shown} of ${revisions.length}`);
    ok(revisions.slice(0, shown).every(({ pod_template }) => pod_template !== null));
    const bytes = Buffer.byteLength(JSON.stringify(revisions));
    const one = Buffer.byteLength(JSON.stringify(revisions[0]?.pod_template));
    ok(bytes <= MAX_OBJECT_BYTES && bytes + one > MAX_OBJECT_BYTES, `${bytes} of ${MAX_OBJECT_BYTES}`);
    ok(notes.some((note) => note.includes('512 KiB')));
  });

  it('gives every template and no such note where all fit (LV-08, LV-09)', async () => {
    edit(variables(3));
    const reply = await rig.ask({ op: 'revisions' });
    ok(reply.ok, JSON.stringify(reply));
    const { revisions, notes } = reply.data as RevisionsData;
    ok(revisions.length >= 2 && revisions.every(({ pod_template }) => pod_template !== null));
    ok(!notes.some((note) => note.includes('512 KiB')));
  });

  it('answers too_large for an object over 512 KiB (LV-25)', async () => {
    edit(variables(15_000));
    const reply = await rig.ask();
    ok(!reply.ok, 'the whole object came');
    deepEqual(reply.error, { code: 'too_large', message: 'the object is larger than 512 KiB' });
  });

  it('tells Rollouts that are not installed from one that is not there (LV-25)', async () => {
    const absent = await rig.ask({ kind: 'Rollout', name: 'nowhere' });
    ok(!absent.ok);
    equal(absent.error.code, 'rollouts_not_installed');
    rig.cluster.serves.rollouts = true;
    const missing = await rig.ask({ kind: 'Rollout', name: 'nowhere' });
    ok(!missing.ok);
    equal(missing.error.code, 'not_found');
  });

  it('redacts literal values before they leave (LV-04)', async () => {
    edit({ PLANTED: 'planted-value-17' });
    for (const op of ['manifest', 'revisions'] as const) {
      const reply = await rig.ask({ op });
      ok(reply.ok, JSON.stringify(reply));
      const text = JSON.stringify(reply);
      ok(text.includes('"PLANTED"') && !text.includes('planted-value-17'));
      ok(text.includes('<redacted: 16 chars>'));
      ok(!text.includes('managedFields":'));
      ok((reply.data as ManifestData | RevisionsData).notes.length > 0);
    }
  });

  it('never asks the API server for a Secret or a ConfigMap (LV-05)', async () => {
    const before = rig.sim.requests.length;
    for (const kind of ['Secret', 'ConfigMap', 'secrets', '']) {
      for (const op of ['manifest', 'revisions'] as const) {
        const reply = await rig.ask({ op, kind });
        ok(!reply.ok);
        equal(reply.error.code, 'bad_request');
      }
    }
    equal(rig.sim.requests.length, before);
    ok((await rig.ask()).ok);
    ok(rig.sim.requests.length > before);
  });
});
