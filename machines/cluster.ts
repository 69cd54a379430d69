import { ingestRegion } from './ingest.ts';
import { liveReadsRegion } from './liveReads.ts';
import { presenceRegion } from './presence.ts';
import { vocabulary } from './vocabulary.ts';

/** One Kubernetes cluster: three regions that run side by side (design section 4). Its work is not provided here. */
export const clusterMachine = vocabulary.createMachine({
  id: 'cluster',
  type: 'parallel',
  context: { snapshots: [], syncing: null, reads: [], lanes: [] },
  states: {
    ingest: ingestRegion,
    liveReads: liveReadsRegion,
    presence: presenceRegion,
  },
});

export type ClusterMachine = typeof clusterMachine;
