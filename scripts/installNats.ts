/** Install step of the make targets: a nats-server is on the machine afterwards, or exit 2 says how to get one. */
import { join } from 'node:path';
import { ensureNatsServer, NatsServerMissing } from '../actors/natsBinary.ts';

const binDir = join(import.meta.dirname, '..', '.proxima', 'bin');
try {
  await ensureNatsServer({ binDir, onProgress: (line) => console.error(`nats-server: ${line} ...`) });
} catch (error) {
  if (!(error instanceof NatsServerMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
