/** `make bench`: every scenario, one after the other, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SCENARIOS = ['ingest', 'agentMemory'];

for (const name of SCENARIOS) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
