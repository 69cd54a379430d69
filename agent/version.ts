import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** This agent's version as it reports it, such as `v0.9.0`; the backend's gates compare it (U-34). */
export const AGENT_VERSION = `v${manifest.version}`;
