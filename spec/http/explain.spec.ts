import { deepEqual, equal, match } from 'node:assert/strict';
import { kinds } from '../../wire/kinds/index.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

describe('why is it missing?', () => {
  let backend: BackendUnderTest;
  let token: string;
  let cluster: string;

  before(async () => {
    backend = await startBackend();
    token = await backend.tokenFor({ role: 'viewer' });
    cluster = await backend.cluster({ slug: 'here' });
  });
  after(() => backend.stop());

  const ask = async (query: Record<string, string>) => {
    const answer = await backend.ask(`/api/v1/clusters/${cluster}/explain?${new URLSearchParams(query)}`, {
      token,
    });
    return { status: answer.status, ...answer.json };
  };
  const verdict = async (query: Record<string, string>) => {
    const { status, data } = await ask(query);
    equal(status, 200);
    return data as unknown as {
      verdict: string;
      message: string;
      since: string | null;
      notes: string[];
      object: { id: string | null };
    };
  };
  const lost = { kind: 'Pod', namespace: 'shop', name: 'lost' };
  const complete = { state: 'complete', listed: 1, sent: 1 };
  const cover = (resource: string, coverage: object, since: string | null = null) =>
    backend.pool.query(
      `update clusters set coverage = coalesce(coverage, '{}') || $2, unverified_since = $3 where id = $1`,
      [
        cluster,
        JSON.stringify({ [resource]: coverage }),
        JSON.stringify(since === null ? {} : { [resource]: since }),
      ],
    );
  beforeEach(async () => {
    await backend.pool.query(
      "update clusters set excluded_namespaces = '{}', agent_status = 'connected' where id = $1",
      [cluster],
    );
    await cover('pods', complete);
  });

  for (const kind of kinds) {
    it(`finds a ${kind.kubernetesKinds.join(', ')} that is there, with its id`, async () => {
      const { rows } = await backend.pool.query<{
        id: string;
        name: string;
        namespace?: string;
        kind?: string;
      }>(`select * from ${kind.table} where cluster_id = $1 limit 1`, [cluster]);
      const [row] = rows;
      for (const resource of typeof kind.coverage === 'string'
        ? [kind.coverage]
        : Object.values(kind.coverage)) {
        await cover(resource, complete);
      }
      const found = await verdict({
        kind: (row?.kind ?? kind.kubernetesKinds[0] ?? '').toLowerCase(),
        name: row?.name ?? '',
        ...(row?.namespace === undefined ? {} : { namespace: row.namespace }),
      });
      deepEqual([found.verdict, found.object.id], ['present', row?.id]);
    });
  }

  it('says that a namespace is left out on purpose', async () => {
    await backend.pool.query("update clusters set excluded_namespaces = '{shop}' where id = $1", [cluster]);
    equal((await verdict(lost)).verdict, 'excluded_namespace');
    equal((await verdict({ ...lost, namespace: 'other' })).verdict, 'never_seen');
  });

  it('says that a kind is forbidden or fails, and since when', async () => {
    await cover('pods', { state: 'forbidden', listed: 0, sent: 0 }, '2026-11-30T11:00:00Z');
    const forbidden = await verdict(lost);
    deepEqual([forbidden.verdict, forbidden.since], ['forbidden', '2026-11-30T11:00:00Z']);
    match(forbidden.message, /ClusterRole/);
    await cover('pods', { state: 'error', listed: 0, sent: 0, reason: 'timeout' }, '2026-11-30T11:00:00Z');
    const failing = await verdict(lost);
    deepEqual([failing.verdict, failing.since], ['failing', '2026-11-30T11:00:00Z']);
    match(failing.message, /timeout/);
  });

  it('says that what is stored may be gone when its kind cannot be read', async () => {
    const { rows } = await backend.pool.query<{ name: string; namespace: string }>(
      'select name, namespace from k8s_pods where cluster_id = $1 limit 1',
      [cluster],
    );
    await cover('pods', { state: 'error', listed: 0, sent: 0 }, '2026-11-30T11:00:00Z');
    const found = await verdict({
      kind: 'Pod',
      namespace: rows[0]?.namespace ?? '',
      name: rows[0]?.name ?? '',
    });
    deepEqual([found.verdict, found.since], ['present_unverified', '2026-11-30T11:00:00Z']);
  });

  it('says that the cluster does not serve a kind, and that a cap may have cut the object', async () => {
    await cover('rollouts', { state: 'absent', listed: 0, sent: 0 });
    equal((await verdict({ kind: 'rollout', namespace: 'shop', name: 'x' })).verdict, 'not_served');
    await cover('pods', { state: 'truncated', listed: 7000, sent: 5000, reason: 'pod_limit' });
    const cut = await verdict(lost);
    equal(cut.verdict, 'maybe_cut');
    match(cut.message, /5000 of 7000 pods were sent \(pod_limit\)/);
  });

  it('says since when an object is gone where a record shows it, else what the snapshot says', async () => {
    equal((await verdict(lost)).verdict, 'never_seen');
    const record = (type: string, at: string) =>
      backend.pool.query(
        `insert into change_events (client_id, environment_id, source, event_type, severity, summary, details, scanned_at)
         select client_id, environment_id, 'k8s-config', $2, 'info', 'x', $3, $4 from clusters where id = $1`,
        [
          cluster,
          type,
          JSON.stringify({
            cluster_id: cluster,
            kind: 'Deployment',
            namespace: 'shop',
            name: 'old',
            changes: [],
          }),
          at,
        ],
      );
    const old = { kind: 'Deployment', namespace: 'shop', name: 'old' };
    await cover('deployments', complete);
    await record('workload_changed', '2026-11-30T10:00:00Z');
    const changed = await verdict(old);
    deepEqual([changed.verdict, changed.since], ['gone', null]);
    match(changed.message, /2026-11-30T10:00:00Z/);
    await record('workload_deleted', '2026-11-30T11:00:00Z');
    const deleted = await verdict(old);
    deepEqual([deleted.verdict, deleted.since], ['gone', '2026-11-30T11:00:00Z']);
    equal((await verdict({ ...old, kind: 'StatefulSet' })).verdict === 'gone', false);
  });

  it('notes a silent agent and an unknown namespace', async () => {
    await backend.pool.query("update clusters set agent_status = 'disconnected' where id = $1", [cluster]);
    const { notes } = await verdict({ ...lost, namespace: 'no-such' });
    equal(notes.length, 2);
    match(notes.join(' '), /silent since 2026-11-30T12:00:00Z.*namespace/);
  });

  it('says that no snapshot was stored yet', async () => {
    await backend.pool.query('update clusters set snapshot_at = null where id = $1', [cluster]);
    equal((await verdict(lost)).verdict, 'no_snapshot');
    await backend.pool.query("update clusters set snapshot_at = '2026-11-30T12:00:00Z' where id = $1", [
      cluster,
    ]);
  });

  it('names the parameter that is missing or wrong', async () => {
    for (const [query, parameter] of [
      [{ namespace: 'shop', name: 'x' }, 'kind'],
      [{ kind: 'Secret', namespace: 'shop', name: 'x' }, 'kind'],
      [{ kind: 'Pod', namespace: 'shop' }, 'name'],
      [{ kind: 'Pod', namespace: 'shop', name: '' }, 'name'],
      [{ kind: 'Pod', name: 'x' }, 'namespace'],
      [{ kind: 'Node', namespace: 'shop', name: 'x' }, 'namespace'],
    ] as const) {
      const { status, error } = await ask(query as unknown as Record<string, string>);
      deepEqual([status, error.code, error.details?.parameter], [400, 'invalid_param', parameter]);
    }
  });
});
