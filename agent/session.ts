/** From the data folder to an enrolled identity: what is on disk, what is asked for, what is refused (EN-01 to EN-06). */

import type { Enrollment } from '../wire/enroll.ts';
import type { AgentConfig } from './config.ts';
import { enroll } from './enroll.ts';
import type { Log } from './log.ts';
import type { Identity } from './nkey.ts';
import { createIdentity, openIdentity } from './nkey.ts';
import type { AgentState, StateStore } from './state.ts';
import { AGENT_VERSION } from './version.ts';

/** An enrolled agent. */
export interface Session {
  readonly identity: Identity;
  /** The newest enrollment; its JWT changes with every renewal. */
  enrollment(): Enrollment;
  /** Takes a renewed enrollment at once, then keeps it on disk. */
  take(renewed: Enrollment): Promise<void>;
}

export type SessionOutcome =
  /** `fresh`: enrolled just now, not by an earlier start. */
  | { readonly kind: 'enrolled'; readonly session: Session; readonly fresh: boolean }
  /** The agent can't go on with these settings and this state; `message` is for the operator. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'cancelled' };

/**
 * The session of this data folder; a folder without an enrollment asks the backend for one. Throws when the folder can't
 * be read or written.
 * @param clusterUid reads the UID of the kube-system namespace, null when that is not possible; asked only to enroll
 */
export async function openSession(o: {
  readonly config: AgentConfig;
  readonly store: StateStore;
  clusterUid(signal: AbortSignal): Promise<string | null>;
  readonly signal: AbortSignal;
  readonly log: Log;
}): Promise<SessionOutcome> {
  const { config, store } = o;
  const loaded = await store.load();
  if (loaded.kind === 'damaged') {
    return refused(
      `${store.path} is damaged: ${loaded.problem}; restore it, or delete the agent's record in the backend and remove the file to enroll anew`,
    );
  }
  const state = loaded.kind === 'loaded' ? loaded.state : null;
  if (state?.enrollment) {
    if (state.cluster_slug !== config.clusterSlug) {
      return refused(
        `${store.path} is the identity of cluster ${state.cluster_slug}, but the settings name ${config.clusterSlug}; give each cluster's agent a PROXIMA_AGENT_DATA_DIR of its own`,
      );
    }
    o.log.info({ agent_id: state.enrollment.agent_id, agent_name: state.name }, 'already enrolled');
    return { kind: 'enrolled', session: openEnrolled(state, state.enrollment, store), fresh: false };
  }
  if (config.installToken === null) {
    return refused(`PROXIMA_INSTALL_TOKEN is required: there is no enrollment in ${store.path}`);
  }

  const asking: AgentState = {
    // A seed that was kept by an earlier attempt is asked with again: its reply may have been lost.
    nkey_seed: state?.nkey_seed ?? createIdentity().seed,
    name: config.agentName,
    cluster_slug: config.clusterSlug,
    enrollment: null,
  };
  await store.save(asking);
  const identity = openIdentity(asking.nkey_seed);
  const outcome = await enroll({
    backendUrl: config.backendUrl,
    request: {
      install_token: config.installToken.reveal(),
      agent_type: 'collector',
      name: asking.name,
      cluster_name: config.clusterName,
      cluster_slug: config.clusterSlug,
      cluster_uid: await o.clusterUid(o.signal),
      agent_version: AGENT_VERSION,
      nkey: identity.publicKey,
    },
    identity,
    signal: o.signal,
    log: o.log,
  });
  if (outcome.kind !== 'enrolled') return outcome;
  const { enrollment } = outcome;
  await store.save({ ...asking, enrollment });
  const { agent_id, client, environment } = enrollment;
  o.log.info({ agent_id, agent_name: asking.name, client, environment }, 'enrolled');
  return { kind: 'enrolled', session: openEnrolled(asking, enrollment, store), fresh: true };
}

const refused = (message: string): SessionOutcome => ({ kind: 'refused', message });

function openEnrolled(state: AgentState, enrollment: Enrollment, store: StateStore): Session {
  let newest = enrollment;
  return {
    identity: openIdentity(state.nkey_seed),
    enrollment: () => newest,
    async take(renewed) {
      newest = renewed;
      await store.save({ ...state, enrollment: renewed });
    },
  };
}
