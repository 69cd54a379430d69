/** PQL as a condition in SQL: fields become the expressions of this file, values become parameters. */

import type { Pql, PqlFields } from '../rules/pql/parse.ts';
import type { Bind } from './inventory/listSql.ts';

/** How one field is read. A text or number is an expression, a set of texts a query that yields column `v`. */
export interface PqlField {
  readonly type: 'text' | 'texts' | 'number';
  readonly sql: string;
  /** For a set of texts that an index knows: a jsonb array, and as what a value may be in it. */
  readonly indexed?: { readonly sql: string; readonly keys: (value: string) => readonly string[] };
}

type TextComparison = Extract<Pql, { readonly kind: 'text' }>;

export type PqlFieldTable = Readonly<Record<string, PqlField>>;

/** What the parser may let through. */
export const fieldTypes = (table: PqlFieldTable): PqlFields =>
  Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, type]));

/** A pattern of LIKE that means what the PQL pattern means: `*` is any text, everything else is itself. */
export const likePattern = (glob: string): string => glob.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

/**
 * A condition that is true for what the query finds, and false or null for everything else: an object without the value
 * is one whose value is the empty text, so that `!=` finds it and `NOT` turns every answer round. Throws RangeError for a
 * field that the table lacks.
 */
export function conditionOf(pql: Pql, table: PqlFieldTable, bind: Bind): string {
  switch (pql.kind) {
    case 'and':
    case 'or':
      return `(${pql.parts.map((part) => conditionOf(part, table, bind)).join(` ${pql.kind} `)})`;
    case 'not':
      return negated(conditionOf(pql.part, table, bind));
    case 'number': {
      const { sql } = fieldOf(table, pql.field);
      const operator = pql.operator === '!=' ? '<>' : pql.operator;
      return `coalesce(${sql} ${operator} ${bind(pql.value)}::bigint, false)`;
    }
    case 'text': {
      const holds = textCondition(fieldOf(table, pql.field), pql, bind);
      return pql.operator.startsWith('!') ? negated(holds) : holds;
    }
  }
}

/** What is not known to hold does not hold. */
const negated = (condition: string): string => `not coalesce(${condition}, false)`;

function textCondition({ type, sql, indexed }: PqlField, pql: TextComparison, bind: Bind): string {
  const isPattern = pql.operator.endsWith('~');
  if (indexed !== undefined && !isPattern) {
    const keys = indexed.keys(pql.value).map((key) => bind(JSON.stringify([key])));
    return `(${keys.map((key) => `${indexed.sql} @> ${key}::jsonb`).join(' or ')})`;
  }
  const matches = (text: string): string =>
    isPattern ? `${text} like ${bind(likePattern(pql.value))}` : `${text} = ${bind(pql.value)}`;
  return type === 'texts'
    ? `exists (select from (${sql}) f where ${matches('f.v')})`
    : `(${matches(`coalesce(${sql}, '')`)})`;
}

function fieldOf(table: PqlFieldTable, name: string): PqlField {
  const field = Object.hasOwn(table, name) ? table[name] : undefined;
  if (field === undefined) throw new RangeError('a query asks for an unknown field');
  return field;
}

const text = (sql: string): PqlField => ({ type: 'text', sql });
const number = (sql: string): PqlField => ({ type: 'number', sql });

/** PQ-02 to PQ-05, on a cluster `k`. */
const CLUSTER: PqlFieldTable = {
  'cluster.name': text('k.name'),
  'cluster.display_name': text('k.display_name'),
  'cluster.slug': text('k.slug'),
  'cluster.version': text('k.version'),
  'cluster.platform': text('k.platform'),
  'cluster.status': text('k.status'),
};

/** Hosts `h`, with the clusters that they are nodes of. */
export const HOST_FIELDS: PqlFieldTable = {
  'host.hostname': text('h.hostname'),
  'host.ip': text('h.ip_address'),
  'host.os': text('h.os'),
  ...CLUSTER,
};

/** Indexed by k8s_workloads_images and k8s_pods_images. */
const IMAGES: PqlField = {
  type: 'texts',
  sql: `select c ->> 'image' as v from jsonb_array_elements(t.containers) c`,
  indexed: { sql: `jsonb_path_query_array(t.containers, '$[*].image')`, keys: (value) => [value] },
};

/** Names of these sorts among what the spec facts of workload `t` refer to (SF-10); by k8s_workloads_references. */
const references = (...sorts: readonly string[]): PqlField => ({
  type: 'texts',
  sql: `
    select substr(r, strpos(r, ':') + 1) as v from jsonb_array_elements_text(t.spec_references) r
    where ${sorts.map((sort) => `starts_with(r, '${sort}:')`).join(' or ')}`,
  indexed: {
    sql: 't.spec_references',
    keys: (value) => sorts.map((sort) => `${sort}:${value}`),
  },
});

/** Workloads `t` of a cluster `k`. */
export const WORKLOAD_FIELDS: PqlFieldTable = {
  'workload.kind': text('t.kind'),
  'workload.namespace': text('t.namespace'),
  'workload.name': text('t.name'),
  'workload.strategy': text('t.strategy'),
  'workload.service_account': text('t.service_account'),
  'workload.helm_release': text('t.helm_release'),
  'workload.helm_chart': text('t.helm_chart'),
  'workload.replicas': number('t.replicas_desired'),
  'workload.ready': number('t.replicas_ready'),
  'workload.image': IMAGES,
  'workload.configmap': references('configmap'),
  'workload.secret': references('secret'),
  'workload.pvc': references('pvc', 'pvc-template'),
  'workload.env': references('env'),
  ...CLUSTER,
};

/** Pods `t` of a cluster `k`. */
export const POD_FIELDS: PqlFieldTable = {
  'pod.namespace': text('t.namespace'),
  'pod.name': text('t.name'),
  'pod.phase': text('t.phase'),
  'pod.reason': text('t.reason'),
  'pod.node': text('t.node_name'),
  'pod.ip': text('t.pod_ip'),
  'pod.workload_kind': text('t.workload_kind'),
  'pod.workload': text('t.workload'),
  'pod.restarts': number('t.restart_count'),
  'pod.image': IMAGES,
  ...CLUSTER,
};
