/**
 * Install step of the make targets: a nats-server is on the machine afterwards, or exit 2 says how to get one.
 * Usage: installNats.ts [folder to install into [folder:folder of system programs]]
 */
import { delimiter, join } from 'node:path';
import { ensureNatsServer, NatsServerMissing } from '../actors/natsBinary.ts';

const [binDir = join(import.meta.dirname, '..', '.proxima', 'bin'), systemFolders] = process.argv.slice(2);
try {
  await ensureNatsServer({
    binDir,
    onProgress: (line) => console.error(`nats-server: ${line} ...`),
    ...(systemFolders === undefined ? {} : { systemFolders: systemFolders.split(delimiter) }),
  });
} catch (error) {
  if (!(error instanceof NatsServerMissing)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
