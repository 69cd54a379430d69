/** Search over the whole fleet. */

import { fieldTypes } from '../../store/pqlSql.ts';
import type { Subject } from '../../store/search.ts';
import { SUBJECTS, searchFleet } from '../../store/search.ts';
import { many } from '../answer.ts';
import { listPages, pageOf } from '../params.ts';
import { pqlParam, readPql } from '../pqlParam.ts';
import { isRefusal } from '../refusal.ts';
import type { Route } from '../route.ts';
import { scopedRoute } from '../route.ts';
import { listOf, nullable, object, pageMeta, text, time, uuid } from '../schemas.ts';
import { everything } from '../target.ts';
import { recordProperties } from './inventory.ts';

function searchRoute(subject: Subject): Route {
  const { kind, fields } = SUBJECTS[subject];
  const types = fieldTypes(fields);
  return scopedRoute({
    method: 'GET',
    path: `/api/v1/search/${subject}`,
    summary: `Search the ${subject} of every cluster that the caller may see.`,
    permission: 'assets:read',
    target: everything,
    query: { ...listPages, pql: { ...pqlParam(types), required: true } as const },
    answer: listOf(
      object({ ...recordProperties(kind), cluster_id: uuid, cluster_name: text, as_of: nullable(time) }),
      pageMeta,
    ),
    async handle({ backend, scope, query }) {
      const pql = readPql(query.pql ?? '', types);
      if (isRefusal(pql)) return pql;
      const page = pageOf(query);
      const { rows, total } = await searchFleet(backend.pool, scope, subject, pql, page);
      return many(rows, { total, page: page.page, per_page: page.perPage });
    },
  });
}

export const searchRoutes: readonly Route[] = [searchRoute('workloads'), searchRoute('pods')];
