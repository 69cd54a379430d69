/** One warning for a kind that cannot be read, not one a cycle (AR-05, AR-06, AA-03, U-40). */

import type { CoverageState, CoveredResource } from '../../wire/coverage.ts';
import type { KubeError } from '../kubeApi.ts';
import type { Log } from '../log.ts';

export interface Refusals {
  /** A kind could not be read: warns, unless it warned of the same since the kind was last read. */
  failed(resource: CoveredResource, state: CoverageState, error: KubeError): void;
  /** A kind was read: the next refusal is news again. */
  read(resource: CoveredResource): void;
}

/** The usual cause of a refusal is an image that is newer than its chart (AR-13). */
const REMEDY =
  'apply the ClusterRole of this version (helm upgrade with the new chart, or clusterrole.yaml): a newer image alone does not bring its rules';

/**
 * The memory between cycles. It holds every way in which a kind has failed since it was last read, so that one which is
 * refused and unreachable by turns warns once of each. An absent kind is the usual case for Argo's and metrics-server's,
 * and silent; nor is it a success.
 */
export function createRefusals(log: Pick<Log, 'warn'>): Refusals {
  const warned = new Map<CoveredResource, Set<CoverageState>>();
  return {
    failed(resource, state, error) {
      const known = warned.get(resource) ?? new Set();
      if (state === 'absent' || known.has(state)) return;
      warned.set(resource, known.add(state));
      if (state === 'forbidden') {
        log.warn({ resource, remedy: REMEDY }, `${resource} may not be listed; what is stored of them stays`);
      } else {
        log.warn({ resource, err: error }, `${resource} cannot be listed; what is stored of them stays`);
      }
    },
    read: (resource) => void warned.delete(resource),
  };
}
