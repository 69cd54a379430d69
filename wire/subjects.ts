/** NATS subjects (contracts.md sections 1 and 3). Tenancy comes from here, guarded by NATS permissions, never from a body. */

/** Where a snapshot or a heartbeat comes from, as its subject says. */
export interface Sender {
  readonly client: string;
  readonly environment: string;
  readonly agentId: string;
}

/** Data subjects of one agent; a further type is added here and to the permissions by name, never by wildcard. */
export const DATA_TYPES = ['kubernetes', 'heartbeat'] as const;
export type DataType = (typeof DATA_TYPES)[number];

export const dataSubject = (from: Sender, type: DataType): string =>
  `proxima.${from.client}.${from.environment}.${from.agentId}.${type}`;

/** What the EVENTS stream captures (contracts.md section 2). */
export const SNAPSHOT_SUBJECTS = 'proxima.*.*.*.kubernetes';
export const HEARTBEAT_SUBJECTS = 'proxima.*.*.*.heartbeat';

/** Requests to one agent. Lies in no stream: a PubAck would answer instead of the agent. */
export const commandSubject = (agentId: string): string => `proxima.system.commands.${agentId}`;

/** Inbox prefix of an agent's connection; its own, so that no agent can listen to another's replies. */
export const agentInbox = (agentId: string): string => `_INBOX_${agentId}`;
export const BACKEND_INBOX = '_INBOX_backend';

export const EVENTS_STREAM = 'EVENTS';
export const KUBERNETES_CONSUMER = 'kubernetes-worker';

const SUBJECT = /^proxima\.([^.]+)\.([^.]+)\.([^.]+)\.([^.]+)$/;

/** Reads a data subject; null when it is not one. */
export function parseDataSubject(subject: string): (Sender & { readonly type: string }) | null {
  const [, client, environment, agentId, type] = SUBJECT.exec(subject) ?? [];
  if (client === undefined || environment === undefined || agentId === undefined || type === undefined) {
    return null;
  }
  return { client, environment, agentId, type };
}
