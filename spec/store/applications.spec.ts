import { deepEqual, equal } from 'node:assert/strict';
import type { Application, Argocd } from '../../wire/kinds/application.ts';
import { syncRig } from '../support/syncing.ts';
import { snapshotAt } from '../support/workloads.ts';

const application = (name: string, change: Partial<Application> = {}): Application => ({
  namespace: 'argocd',
  name,
  uid: `uid-of-${name}`,
  project: 'default',
  destination_name: 'in-cluster',
  destination_server: null,
  destination_namespace: 'shop',
  sync_status: 'Synced',
  health_status: 'Healthy',
  revisions: ['abc'],
  sources: [{ repo_url: 'https://git.example/shop', path: 'deploy' }],
  resources: [
    {
      group: 'apps',
      kind: 'Deployment',
      namespace: 'shop',
      name,
      sync_status: 'Synced',
      health_status: null,
    },
  ],
  resources_total: 3,
  created_at: '2026-03-04T05:06:07Z',
  ...change,
});

describe('the ArgoCD report of a snapshot (U-16)', () => {
  const rig = syncRig();
  const { query, stored } = rig;

  let minute = 0;
  const report = (state: Argocd['state'], applications: Application[] = [], names: string[] = ['prod']) =>
    send({ state, in_cluster_names: names, applications });
  const send = (argocd?: Argocd) => {
    minute += 0.1;
    return stored(snapshotAt(rig.agent, minute, argocd === undefined ? {} : { argocd }));
  };
  const clusters = () =>
    query('select argocd_state as state, argocd_in_cluster_names as names from clusters');
  const rows = () =>
    query(
      `select a.name, a.sync_status, a.resources_dropped as dropped,
              (select count(*)::integer from application_resources r where r.application_id = a.id) as resources
       from applications a order by a.name`,
    );
  const row = (name: string, change: object = {}) => ({
    name,
    sync_status: 'Synced',
    dropped: false,
    resources: 1,
    ...change,
  });

  it('is stored whole', async () => {
    await report('ok', [application('api')]);
    const { resources, ...fields } = application('api');
    const [stored] = await query('select * from applications');
    const { id, cluster_id, content_hash, synced_at, resources_dropped, ...rest } = stored ?? {};
    deepEqual(rest, { ...fields, created_at: new Date(fields.created_at ?? 0) });
    equal(resources_dropped, false);
    deepEqual(
      await query(
        'select "group", kind, namespace, name, sync_status, health_status from application_resources',
      ),
      resources,
    );
    deepEqual(await clusters(), [{ state: 'ok', names: ['prod'] }]);
  });

  it('replaces what was stored when it is ok, and writes only what differs', async () => {
    await report('ok', [application('api'), application('old'), application('web')]);
    const versions = () => query('select name, id, xmin::text from applications order by name');
    const before = await versions();
    await report('ok', [application('api'), application('web', { sync_status: 'OutOfSync', resources: [] })]);
    deepEqual(await rows(), [row('api'), row('web', { sync_status: 'OutOfSync', resources: 0 })]);
    const after = await versions();
    deepEqual(after[0], before[0]);
    equal(after[1]?.id, before[2]?.id);
  });

  it('keeps what is stored when it could not be read, and says so', async () => {
    await report('ok', [application('api')]);
    for (const state of ['forbidden', 'unavailable'] as const) {
      await report(state, [], ['other']);
      deepEqual(await rows(), [row('api')]);
      deepEqual(await clusters(), [{ state, names: ['other'] }]);
    }
  });

  it('keeps what is stored when there is none: dropped for size, or an agent that does not report', async () => {
    await report('ok', [application('api')]);
    await send();
    deepEqual(await rows(), [row('api')]);
    deepEqual(await clusters(), [{ state: 'ok', names: ['prod'] }]);
  });

  it('clears what is stored when ArgoCD is not installed', async () => {
    await report('ok', [application('api')]);
    await report('crd_absent', [], []);
    deepEqual(await rows(), []);
    deepEqual(await clusters(), [{ state: 'crd_absent', names: [] }]);
  });

  it('keeps the rows of resources that were dropped for size, and marks them', async () => {
    await report('ok', [application('api')]);
    await report('ok', [application('api', { resources: null, sync_status: 'OutOfSync' })]);
    deepEqual(await rows(), [row('api', { sync_status: 'OutOfSync', dropped: true })]);
    await report('ok', [application('api', { resources: [] })]);
    deepEqual(await rows(), [row('api', { resources: 0 })]);
  });

  it('takes the last of two Applications of one name, and a report without in-cluster names (AA-15)', async () => {
    const { in_cluster_names: _, ...old } = {
      state: 'ok' as const,
      in_cluster_names: [],
      applications: [application('api'), application('api', { sync_status: 'Unknown' })],
    };
    await send(old as unknown as Argocd);
    deepEqual(await rows(), [row('api', { sync_status: 'Unknown' })]);
    deepEqual(await clusters(), [{ state: 'ok', names: [] }]);
  });

  it('goes with its cluster', async () => {
    await report('ok', [application('api')]);
    await query('delete from assets');
    deepEqual(await query('select 1 from applications union all select 1 from application_resources'), []);
  });
});
