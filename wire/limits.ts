/** Bounds that both ends keep, each in one place. */

/** Most events of a snapshot; hard-coded by requirement (AG-27, CF-17). */
export const MAX_EVENTS = 1000;

/** Room left for NATS headers inside max_payload: headers count, and 8 MiB of body plus a message id is refused. */
export const HEADER_ROOM_BYTES = 1024;

/** Largest snapshot after decompression (contracts.md section 1). */
export const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;

/** Longest text of a record; the agent cuts, the backend refuses. */
export const MAX_TEXT_CHARS = 65_536;

/** Heartbeat period, and the silence after which an agent counts as offline (contracts.md section 3). */
export const HEARTBEAT_SECONDS = 15;
export const OFFLINE_AFTER_SECONDS = 45;

/** How far a snapshot's stamp may lie ahead of the backend's clock (CH-32, CH-33). */
export const FUTURE_STAMP_LIMIT_MS = 60_000;

/** How far the stamp of a renewal may be off (contracts.md section 4). */
export const RENEW_SKEW_MS = 10 * 60_000;
