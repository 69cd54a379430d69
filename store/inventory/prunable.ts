/** Which rows a snapshot proves to be gone (D9, contracts.md section 6). Pure. */

import type { CoverageBlock } from '../../wire/coverage.ts';
import { provesAbsence } from '../../wire/coverage.ts';
import type { Kind } from '../../wire/kinds/define.ts';
import type { StoredRow } from './stored.ts';

/** What a snapshot says about absence. */
export interface Proof {
  readonly coverage: CoverageBlock | undefined;
  readonly excludedNamespaces: ReadonlySet<string>;
  /** Namespaces that the snapshot lists. */
  readonly namespaces: ReadonlySet<string>;
}

/**
 * True when a stored row that the snapshot does not hold is proven gone: its own resource was read, or its namespace is
 * excluded or proven gone, which takes along rows of kinds that could not be read.
 */
export function isProvenGone(kind: Kind, row: StoredRow, proof: Proof): boolean {
  const resource = typeof kind.coverage === 'string' ? kind.coverage : kind.coverage[row.kind ?? ''];
  if (proof.coverage === undefined) return true;
  if (resource !== undefined && provesAbsence(proof.coverage, resource)) return true;
  return row.namespace !== null && namespaceIsGone(row.namespace, proof);
}

const namespaceIsGone = (namespace: string, proof: Proof): boolean =>
  proof.excludedNamespaces.has(namespace) ||
  (provesAbsence(proof.coverage, 'namespaces') && !proof.namespaces.has(namespace));
