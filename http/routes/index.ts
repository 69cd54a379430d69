import type { Route } from '../route.ts';
import { adminRoutes } from './admin.ts';
import { agentRoutes } from './agents.ts';
import { apiDocsRoutes } from './apiDocs.ts';
import { callerRoutes } from './callers.ts';
import { clusterRoutes } from './clusters.ts';
import { debugRoutes } from './debug.ts';
import { enrollRoutes } from './enroll.ts';
import { explainRoutes } from './explain.ts';
import { homeRoutes } from './home.ts';
import { hostRoutes } from './hosts.ts';
import { installTokenRoutes } from './installTokens.ts';
import { inventoryRoutes } from './inventory.ts';
import { liveRoutes } from './live.ts';
import { loginRoutes } from './login.ts';
import { openApiRoutes } from './openapi.ts';
import { opsRoutes } from './ops.ts';
import { searchRoutes } from './search.ts';
import { summaryRoutes } from './summary.ts';
import { triageRoutes } from './triage.ts';

/** Every route of the backend. */
export const routes: readonly Route[] = [
  ...clusterRoutes,
  ...summaryRoutes,
  ...liveRoutes,
  ...inventoryRoutes,
  ...explainRoutes,
  ...searchRoutes,
  ...triageRoutes,
  ...enrollRoutes,
  ...agentRoutes,
  ...hostRoutes,
  ...installTokenRoutes,
  ...adminRoutes,
  ...callerRoutes,
  ...homeRoutes,
  ...loginRoutes,
  ...debugRoutes,
  ...opsRoutes,
  ...openApiRoutes(() => routes),
  ...apiDocsRoutes,
];
