/** Which recent change may have caused an alert (TR-01 to TR-07; the answer's shape is contracts.md section 6). */

import { MINIMUM_SCORE, rankChanges } from '../../rules/triage.ts';
import { isoTime } from '../../store/isoTime.ts';
import { fetchChanges, fetchScales } from '../../store/triage.ts';
import { one } from '../answer.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { dataOf, object, text, time, uuid } from '../schemas.ts';
import { timeParam } from '../timeParam.ts';

const share = { type: 'number', minimum: 0, maximum: 1 } as const;
const item = object({ id: uuid, time, source: text, type: text, title: text, weight: share, score: share });

export const triageRoutes: readonly Route[] = [
  clusterRoute({
    method: 'GET',
    path: '/api/v1/clusters/:clusterID/triage',
    summary: 'Rank the changes shortly before a time by how likely they caused what happened then.',
    permissions: ['changes:read'],
    query: { at: timeParam('When it happened; now when left out.') },
    answer: dataOf(object({ at: time, items: { type: 'array', items: item }, minimum: share })),
    async handle({ backend, access, cluster, query, now }) {
      const at = query.at ?? now;
      const asked = { cluster, scope: access.scope('changes:read'), at };
      const [changes, scales] = await Promise.all([
        fetchChanges(backend.pool, asked),
        fetchScales(backend.pool, asked),
      ]);
      const items = rankChanges([...changes, ...scales], at).map(({ at: happenedAt, ...change }) => ({
        ...change,
        time: isoTime(happenedAt),
      }));
      return one({ at: isoTime(at), items, minimum: MINIMUM_SCORE });
    },
  }),
];
