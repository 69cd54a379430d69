/** The sign of life of a cluster's leader (contracts.md section 3, EN-12). */

import type { Heartbeat } from '../wire/heartbeat.ts';
import type { Epoch } from '../wire/snapshot.ts';
import type { Sender } from '../wire/subjects.ts';
import { dataSubject } from '../wire/subjects.ts';
import { instant } from './instant.ts';
import type { NatsLink } from './natsLink.ts';

/** Sends one now and then every `everyMs`, while connected and while `mayBeat`. The returned function ends it. */
export function startHeartbeat(o: {
  readonly link: NatsLink;
  readonly from: Sender;
  readonly agentVersion: string;
  readonly clusterSlug: string;
  readonly epoch: Epoch | null;
  readonly everyMs: number;
  /** Asked before each one: a leader that has lost its Lease falls silent. */
  mayBeat(): boolean;
}): () => void {
  const subject = dataSubject(o.from, 'heartbeat');
  const beat = (): void => {
    if (!o.mayBeat()) return;
    const heartbeat: Heartbeat = {
      agent_id: o.from.agentId,
      agent_version: o.agentVersion,
      cluster_slug: o.clusterSlug,
      epoch: o.epoch,
      timestamp: instant(new Date()),
    };
    o.link.send(subject, Buffer.from(JSON.stringify(heartbeat)));
  };
  beat();
  const timer = setInterval(beat, o.everyMs);
  return () => clearInterval(timer);
}
