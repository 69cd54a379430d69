/** "Why is it missing?": what is known about one object that somebody looks for. */

import type { Evidence } from '../../rules/explain.ts';
import { explain, VERDICTS } from '../../rules/explain.ts';
import { evidenceOf } from '../../store/evidence.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { kinds } from '../../wire/kinds/index.ts';
import { one } from '../answer.ts';
import type { Param } from '../params.ts';
import { textParam } from '../params.ts';
import { invalidParam } from '../refusal.ts';
import type { Route } from '../route.ts';
import { clusterRoute } from '../route.ts';
import { dataOf, nullable, object, text, time, uuid } from '../schemas.ts';

interface Asked {
  readonly kind: Kind;
  readonly kubernetesKind: string;
}

/** Kinds by what people write, in lower case: `statefulset`, and `workloads` where one path means one kind. */
const ASKED = new Map<string, Asked>(
  (kinds as readonly Kind[]).flatMap((kind) => {
    const [first = ''] = kind.kubernetesKinds;
    const named = kind.kubernetesKinds.map((kubernetesKind): [string, Asked] => [
      kubernetesKind.toLowerCase(),
      { kind, kubernetesKind },
    ]);
    return named.length > 1 ? named : [...named, [kind.path, { kind, kubernetesKind: first }]];
  }),
);
const NAMES = (kinds as readonly Kind[]).flatMap((kind) => kind.kubernetesKinds);

const kindParam: Param<Asked | null> = {
  schema: { type: 'string', enum: NAMES },
  description: 'Kind of the object, as Kubernetes calls it; case does not count.',
  problem: `must be one of ${NAMES.join(', ')}`,
  absent: null,
  required: true,
  read: (given) => ASKED.get(given.toLowerCase()),
};

const resourceOf = ({ kind, kubernetesKind }: Asked): string =>
  typeof kind.coverage === 'string' ? kind.coverage : (kind.coverage[kubernetesKind] ?? '');

export const explainRoutes: readonly Route[] = [
  clusterRoute({
    method: 'GET',
    path: '/api/v1/clusters/:clusterID/explain',
    summary: 'Explain why an object is in the inventory of a cluster or is not.',
    permissions: ['assets:read'],
    query: {
      kind: kindParam,
      namespace: textParam('Namespace of the object, where its kind lives in one.'),
      name: { ...textParam('Name of the object.'), required: true } as const,
    },
    answer: dataOf(
      object({
        verdict: { type: 'string', enum: [...VERDICTS] },
        message: text,
        since: nullable(time),
        notes: { type: 'array', items: text },
        as_of: nullable(time),
        object: object({ kind: text, namespace: nullable(text), name: text, id: nullable(uuid) }),
      }),
    ),
    async handle({ backend, cluster, query }) {
      const { kind: asked, name } = query;
      if (asked === null || name === null) return invalidParam('name', 'must not be empty');
      const { kind, kubernetesKind } = asked;
      if (kind.namespaced !== (query.namespace !== null)) {
        return invalidParam('namespace', kind.namespaced ? 'is missing' : 'does not go with this kind');
      }
      const named = { kind, kubernetesKind, namespace: query.namespace, name };
      const { id, ...stored } = await evidenceOf(backend.pool, cluster, named);
      const evidence: Evidence = {
        ...stored,
        namespace: query.namespace,
        resource: resourceOf(asked),
        cluster,
      };
      return one({
        ...explain(evidence),
        as_of: cluster.snapshot_at,
        object: { kind: kubernetesKind, namespace: query.namespace, name, id },
      });
    },
  }),
];
