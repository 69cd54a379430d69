/** Enrollment and renewal (contracts.md section 4). */

/** Header that carries the nkey's signature over the exact body bytes, base64url. */
export const SIGNATURE_HEADER = 'X-Proxima-Signature';

/** Path of enrollment; renewal is `${AGENTS_PATH}/{id}/renew`. */
export const AGENTS_PATH = '/api/v1/agents';

export interface EnrollRequest {
  readonly install_token: string;
  readonly agent_type: 'collector';
  readonly name: string;
  /** Display name of the cluster. */
  readonly cluster_name: string;
  readonly cluster_slug: string;
  /** UID of kube-system; null when it cannot be read. */
  readonly cluster_uid: string | null;
  readonly agent_version: string;
  /** Public user nkey, `U…`. */
  readonly nkey: string;
}

/** What enrollment and renewal answer. */
export interface Enrollment {
  readonly agent_id: string;
  /** Slugs of the subject. */
  readonly client: string;
  readonly environment: string;
  readonly nats_url: string;
  /** PEM of the CA that signed the NATS server's certificate; null without a private CA. */
  readonly nats_ca: string | null;
  readonly jwt: string;
  readonly accepts: string[];
  readonly heartbeat_seconds: number;
}

const SLUG = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';

/** The agent checks the answer too: its slugs become NATS subjects. */
export const enrollmentSchema = {
  type: 'object',
  properties: {
    agent_id: { type: 'string', format: 'uuid' },
    client: { type: 'string', pattern: SLUG },
    environment: { type: 'string', pattern: SLUG },
    nats_url: { type: 'string', minLength: 1, maxLength: 2048 },
    nats_ca: { anyOf: [{ type: 'string', minLength: 1, maxLength: 262144 }, { type: 'null' }] },
    jwt: { type: 'string', minLength: 1, maxLength: 65536 },
    accepts: { type: 'array', items: { type: 'string', maxLength: 64 }, maxItems: 16 },
    heartbeat_seconds: { type: 'integer', minimum: 1, maximum: 3600 },
  },
  required: [
    'agent_id',
    'client',
    'environment',
    'nats_url',
    'nats_ca',
    'jwt',
    'accepts',
    'heartbeat_seconds',
  ],
  additionalProperties: false,
} as const;

export const enrollRequestSchema = {
  type: 'object',
  properties: {
    install_token: { type: 'string', minLength: 1, maxLength: 256 },
    agent_type: { type: 'string', const: 'collector' },
    name: { type: 'string', minLength: 1, maxLength: 253 },
    cluster_name: { type: 'string', minLength: 1, maxLength: 512 },
    cluster_slug: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$', maxLength: 512 },
    cluster_uid: { anyOf: [{ type: 'string', minLength: 1, maxLength: 64 }, { type: 'null' }] },
    agent_version: { type: 'string', minLength: 1, maxLength: 64 },
    nkey: { type: 'string', pattern: '^U[A-Z2-7]{55}$' },
  },
  required: [
    'install_token',
    'agent_type',
    'name',
    'cluster_name',
    'cluster_slug',
    'cluster_uid',
    'agent_version',
    'nkey',
  ],
  additionalProperties: false,
} as const;

export interface RenewRequest {
  readonly timestamp: string;
  /** Over {@link renewalText}, base64url. */
  readonly signature: string;
}

export const renewRequestSchema = {
  type: 'object',
  properties: {
    timestamp: { type: 'string', format: 'date-time' },
    signature: { type: 'string', minLength: 1, maxLength: 256 },
  },
  required: ['timestamp', 'signature'],
  additionalProperties: false,
} as const;

/** The text that a renewal signs. */
export const renewalText = (agentId: string, timestamp: string): string =>
  `proxima-renew-v1\n${agentId}\n${timestamp}`;
