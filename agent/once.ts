/** One snapshot for people who want to see what would be sent before they trust it: `./proxima agent --once --stdout`. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Coverage, CoverageBlock } from '../wire/coverage.ts';
import { COVERED_RESOURCES } from '../wire/coverage.ts';
import { MAX_SNAPSHOT_BYTES } from '../wire/limits.ts';
import type { OnceConfig } from './config.ts';
import { encode, jsonPieces } from './encode.ts';
import { openKubeAccess, podOf } from './kubeAccess.ts';
import { createKubeApi } from './kubeApi.ts';
import { createLog } from './log.ts';
import { createSnapshots } from './snapshots.ts';
import { AGENT_VERSION } from './version.ts';

/** Stands for the id that enrollment gives: the snapshot stays valid, and belongs to nobody. */
const NO_AGENT = '00000000-0000-0000-0000-000000000000';
const DEADLINE_MS = 150_000;

/**
 * Collects the cluster once and writes the message that a sync would send, before compression, to `out`; how each
 * resource was read, the sizes, and log lines go to `notes`. Sends nothing anywhere. Answers the exit code: 0, or 1 when
 * nothing could be collected.
 */
export async function printOnce(
  config: OnceConfig,
  out: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Promise<number> {
  const log = createLog(config.logLevel, { cluster: config.clusterSlug }, notes);
  for (const warning of config.warnings) log.warn({}, warning);
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const kube = await openKubeAccess(config.kubeconfig, podOf(config)).catch((err: unknown) => {
    notes.write(`proxima: ${(err as Error).message}\n`);
    return null;
  });
  if (kube === null) return 1;
  try {
    const api = createKubeApi(kube, `proxima-agent/${AGENT_VERSION}`);
    const snapshots = createSnapshots(api, config, log);
    const snapshot = await snapshots.take({ agentId: NO_AGENT, at: new Date(), epoch: null, signal });
    await write(jsonPieces(snapshot), out);
    const { jsonBytes, bytes } = await encode(snapshot, {
      gzip: true,
      maxBytes: MAX_SNAPSHOT_BYTES,
      maxJsonBytes: Number.POSITIVE_INFINITY,
      signal,
    });
    notes.write(coverageTable(snapshot.coverage));
    notes.write(
      `\n${jsonBytes} bytes of JSON, ${bytes?.length ?? `more than ${MAX_SNAPSHOT_BYTES}`} compressed\n`,
    );
    return 0;
  } catch (err) {
    log.error({ err }, 'the cluster could not be collected');
    return 1;
  } finally {
    kube.close();
  }
}

/** A reader that has seen enough (`| head`) is no fault. */
async function write(pieces: Iterable<string>, out: NodeJS.WritableStream): Promise<void> {
  const lines = function* (): Iterable<string> {
    yield* pieces;
    yield '\n';
  };
  try {
    await pipeline(Readable.from(lines()), out, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

/** One line per resource, in the order of contracts.md; one that the block does not name counts as `error` there, too. */
function coverageTable(coverage: CoverageBlock): string {
  const rows = COVERED_RESOURCES.map((resource) => {
    const { state, listed, sent, reason = '' } = coverage[resource] ?? UNNAMED;
    return row(resource, state, String(listed), String(sent), reason);
  });
  return [row('resource', 'state', 'listed', 'sent', 'reason'), ...rows, ''].join('\n');
}

const UNNAMED: Coverage = { state: 'error', listed: 0, sent: 0 };

const row = (resource: string, state: string, listed: string, sent: string, reason: string): string =>
  [resource.padEnd(24), state.padEnd(9), listed.padStart(7), sent.padStart(7), reason].join(' ').trimEnd();
