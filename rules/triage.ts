/** Which change before an alert is worth naming as its cause (TR-01 to TR-07, U-21). All numbers of triage are here. */

import type { ChangeType } from './facts/record.ts';
import { CONFIG_SOURCE } from './facts/record.ts';

/** How much a class of change counts. Deploys are ours; the seed gives the other two. */
export const WEIGHTS = {
  deploy: 1,
  /** A workload's spec or a NetworkPolicy was edited (TR-01). */
  config: 0.9,
  /** A manual scale, up or down: a prime cause when it is recent, and noise when it is not (TR-02, TR-04). */
  neutral: 0.5,
} as const;

/** A change counts half as much after this time. */
export const HALF_LIFE_MS = 28 * 60_000;

/** Below it nothing is named. A manual scale reaches it 28 minutes before the alert (TR-03). */
export const MINIMUM_SCORE = 0.25;

/** Rows of the two fetches, newest first: many scales cannot push an older deploy out (TR-05, TR-06). */
export const CHANGES_FETCHED = 100;
export const SCALES_FETCHED = 15;

/** No change that is older can reach the minimum, whatever it was. */
export const REACH_MS = HALF_LIFE_MS * Math.log2(Math.max(...Object.values(WEIGHTS)) / MINIMUM_SCORE);

/** `source` of records that tell of a deploy. */
export const DEPLOY_SOURCES: readonly string[] = ['deployment', 'github', 'gitlab'];
/** `event_type` of manual scales. */
export const SCALE_TYPE: ChangeType = 'workload_scaled';

/** A change record, as far as it is ranked. */
export interface RecordedChange {
  readonly id: string;
  readonly at: Date;
  readonly source: string;
  readonly type: string;
  readonly title: string;
}

export interface RankedChange extends RecordedChange {
  readonly weight: number;
  /** weight * 2^(-age / 28 min), between the minimum and the weight. */
  readonly score: number;
}

const weightOf = ({ source, type }: RecordedChange): number => {
  if (source !== CONFIG_SOURCE) return WEIGHTS.deploy;
  return type === SCALE_TYPE ? WEIGHTS.neutral : WEIGHTS.config;
};

/** The changes that reach the minimum at the time of the alert, the likeliest first; equal ones by time, then id. */
export function rankChanges(changes: readonly RecordedChange[], alertAt: Date): RankedChange[] {
  return changes
    .map((change) => {
      const weight = weightOf(change);
      const ageMs = alertAt.getTime() - change.at.getTime();
      return { ...change, weight, score: ageMs < 0 ? 0 : weight * 2 ** (-ageMs / HALF_LIFE_MS) };
    })
    .filter(({ score }) => score >= MINIMUM_SCORE)
    .sort((a, b) => b.score - a.score || b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1));
}
