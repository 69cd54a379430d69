/** The heartbeat of a cluster's leader (contracts.md section 3). */

import type { Epoch } from './snapshot.ts';
import { epochSchema } from './snapshot.ts';
import { compileSchema } from './validate.ts';

export interface Heartbeat {
  readonly agent_id: string;
  readonly agent_version: string;
  readonly cluster_slug: string;
  readonly epoch: Epoch | null;
  readonly timestamp: string;
}

/** Checks a parsed heartbeat. */
export const checkHeartbeat = compileSchema<Heartbeat>({
  type: 'object',
  properties: {
    agent_id: { type: 'string', format: 'uuid' },
    agent_version: { type: 'string', minLength: 1, maxLength: 64 },
    cluster_slug: { type: 'string', minLength: 1, maxLength: 512 },
    epoch: epochSchema,
    timestamp: { type: 'string', format: 'date-time' },
  },
  required: ['agent_id', 'agent_version', 'cluster_slug', 'epoch', 'timestamp'],
  additionalProperties: false,
});
