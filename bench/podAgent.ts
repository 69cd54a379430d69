/** The agent as in a pod, with the files of its ServiceAccount in the folder of the first argument. */

import { readConfig } from '../agent/config.ts';
import { startAgent } from '../agent/main.ts';

const read = readConfig();
if (!read.ok) throw new Error(read.faults.join('\n'));
const agent = await startAgent(read.config, { serviceAccountDir: process.argv[2] ?? '' });
process.on('SIGTERM', () => void agent.stop());
const end = await agent.ended;
if (end.kind !== 'stopped') {
  console.error(end);
  process.exitCode = 1;
}
