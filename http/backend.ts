/** What the routes work with; made once by `http/main`. */

import type { JwtIssuer } from '../actors/agentJwt.ts';
import type { Inspector } from '../actors/inspector.ts';
import type { LiveReads } from '../actors/liveReads.ts';
import type { Log } from '../actors/log.ts';
import type { Pool } from '../store/pool.ts';
import type { Budgets } from './budget.ts';
import type { OidcVerifier } from './oidc.ts';

export interface Backend {
  readonly pool: Pool;
  readonly log: Log;
  readonly now: () => Date;
  readonly budgets: Budgets;
  /** True while the backend takes work: connected, and not draining. */
  readonly ready: () => boolean;
  /** What the visualizer sees of the actors. */
  readonly inspector: Pick<Inspector, 'list' | 'get' | 'follow'>;
  /** Reads through the clusters' agents. */
  readonly live: Pick<LiveReads, 'askLive'>;
  /** What enrolling agents are told and given. */
  readonly nats: {
    readonly url: string;
    /** PEM of the server's private CA; null without one. */
    readonly ca: string | null;
    readonly issuer: JwtIssuer;
  };
  /** Whose tokens are taken beside our own; null without an issuer. */
  readonly oidc: OidcVerifier | null;
  /** Requests a minute that one caller may make over all routes. */
  readonly callerRequestsPerMinute: number;
}
