/** What a snapshot proves, per listed resource (design D9). */

/** One entry each, in contracts.md section 1. */
export const COVERED_RESOURCES = [
  'nodes',
  'node_metrics',
  'namespaces',
  'deployments',
  'statefulsets',
  'daemonsets',
  'rollouts',
  'replicasets',
  'pods',
  'services',
  'ingresses',
  'persistentvolumeclaims',
  'events',
  'jobs',
  'cronjobs',
  'horizontalpodautoscalers',
  'networkpolicies',
  'resourcequotas',
  'endpointslices',
  'applications',
] as const;
export type CoveredResource = (typeof COVERED_RESOURCES)[number];

export const COVERAGE_STATES = ['complete', 'truncated', 'forbidden', 'absent', 'error'] as const;
export type CoverageState = (typeof COVERAGE_STATES)[number];

/** `listed` counts after exclusion, `sent` what the snapshot holds. */
export interface Coverage {
  readonly state: CoverageState;
  readonly listed: number;
  readonly sent: number;
  readonly reason?: string;
}

/** The coverage block; a resource that it does not name counts as `error`. */
export type CoverageBlock = Readonly<Partial<Record<CoveredResource, Coverage>>>;

export const coverageSchema = {
  type: 'object',
  properties: Object.fromEntries(
    COVERED_RESOURCES.map((resource) => [
      resource,
      {
        type: 'object',
        properties: {
          state: { type: 'string', enum: [...COVERAGE_STATES] },
          listed: { type: 'integer', minimum: 0 },
          sent: { type: 'integer', minimum: 0 },
          reason: { type: 'string', maxLength: 256 },
        },
        required: ['state', 'listed', 'sent'],
        additionalProperties: false,
      },
    ]),
  ),
  additionalProperties: false,
};

/**
 * True when the snapshot shows which objects of a resource exist, so that the others may be pruned: `complete`,
 * `truncated` (the cap is deliberate) and `absent` (the API is not served). A snapshot without a coverage block
 * is taken as whole, as the seeds prune it.
 */
export function provesAbsence(coverage: CoverageBlock | undefined, resource: string): boolean {
  if (coverage === undefined) return true;
  const state = coverage[resource as CoveredResource]?.state ?? 'error';
  return state === 'complete' || state === 'truncated' || state === 'absent';
}
