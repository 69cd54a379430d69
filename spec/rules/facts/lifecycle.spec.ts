import { equal } from 'node:assert/strict';
import type { Sight } from '../../../rules/facts/lifecycle.ts';
import { isProvenCreated, isProvenDeleted } from '../../../rules/facts/lifecycle.ts';
import type { CoverageState } from '../../../wire/coverage.ts';

const API = { kind: 'Deployment', namespace: 'shop' };

const sight = (deployments: CoverageState | null, excluded: string[] = []): Sight => ({
  coverage: deployments === null ? null : { deployments: { state: deployments, listed: 0, sent: 0 } },
  excludedNamespaces: new Set(excluded),
});

describe('rules/facts/lifecycle', () => {
  it('calls a workload created when the snapshot before saw its kind whole', () => {
    equal(isProvenCreated(API, sight('complete')), true);
    equal(isProvenCreated(API, sight('absent')), true);
  });

  it('calls none created that may have been there unseen', () => {
    for (const before of [sight(null), sight('forbidden'), sight('error'), sight('complete', ['shop'])]) {
      equal(isProvenCreated(API, before), false);
    }
    equal(isProvenCreated({ ...API, kind: 'Rollout' }, sight('complete')), false);
  });

  it('calls a workload deleted when its kind was read, or its namespace is proven gone', () => {
    const here = { namespaces: new Set(['shop']) };
    equal(isProvenDeleted(API, { ...sight('complete'), ...here }), true);
    equal(isProvenDeleted(API, { ...sight('forbidden'), ...here }), false);
    const listed = { namespaces: { state: 'complete', listed: 0, sent: 0 } } as const;
    const gone = { coverage: listed, excludedNamespaces: new Set<string>(), namespaces: new Set<string>() };
    equal(isProvenDeleted(API, gone), true);
    equal(isProvenDeleted(API, { ...gone, namespaces: new Set(['shop']) }), false);
  });

  it('calls none deleted whose namespace is left out from now on, nor where the agent does not say what it read', () => {
    const namespaces = new Set<string>();
    equal(isProvenDeleted(API, { ...sight('complete', ['shop']), namespaces }), false);
    equal(isProvenDeleted(API, { ...sight(null), namespaces }), false);
  });
});
