/** Which rows a snapshot proves to be gone (D9, contracts.md section 6). Pure. */

import type { CoverageBlock } from '../../wire/coverage.ts';
import { provesAbsence } from '../../wire/coverage.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import { identityColumns } from './columns.ts';

/** What a snapshot says about absence. */
export interface Proof {
  readonly coverage: CoverageBlock | undefined;
  readonly excludedNamespaces: ReadonlySet<string>;
  /** Namespaces that the snapshot lists. */
  readonly namespaces: ReadonlySet<string>;
}

/**
 * True when the stored row with these values of `identityColumns`, which the snapshot does not hold, is proven gone: its own resource was read, or its namespace is
 * excluded or proven gone, which takes along rows of kinds that could not be read.
 */
export function isProvenGone(kind: Kind, identity: readonly string[], proof: Proof): boolean {
  if (proof.coverage === undefined) return true;
  const resource =
    typeof kind.coverage === 'string' ? kind.coverage : kind.coverage[partOf(kind, identity, 'kind') ?? ''];
  if (resource !== undefined && provesAbsence(proof.coverage, resource)) return true;
  const namespace = kind.name === 'namespaces' ? identity[0] : partOf(kind, identity, 'namespace');
  return namespace !== undefined && namespaceIsGone(namespace, proof);
}

/** A row's value of a column that tells it. */
const partOf = (kind: Kind, identity: readonly string[], column: string): string | undefined =>
  identity[identityColumns(kind).indexOf(column)];

const namespaceIsGone = (namespace: string, proof: Proof): boolean =>
  proof.excludedNamespaces.has(namespace) ||
  (provesAbsence(proof.coverage, 'namespaces') && !proof.namespaces.has(namespace));
