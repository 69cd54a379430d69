/** `make bench`: every scenario, one after the other, each in a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Scenarios, and the flags with which `./proxima` runs the program that they measure. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  ingest: ['--max-semi-space-size=64'],
  fleetIngest: [],
  agent: [],
  sanitize: [],
  lists: [],
};

for (const [name, flags] of Object.entries(SCENARIOS)) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(process.execPath, [...flags, join(import.meta.dirname, `${name}.ts`)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
