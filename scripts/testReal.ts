/**
 * `make test-real`: builds what is missing of the real servers, then runs the specs that need them: the path against
 * a Kubernetes control plane, the copies in VictoriaLogs and VictoriaMetrics, and the hostile ones again on the current
 * nats-server.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const services = resolve(process.env.SERVICES ?? join(root, '../shared/services'));
const launcher = join(services, 'services.mjs');

if (!existsSync(launcher)) {
  console.error(`test-real: no service launcher at ${services}; name its folder with SERVICES=`);
  process.exit(2);
}

const SERVERS = ['nats-server', 'victoria-logs', 'victoria-metrics', 'kwok', 'metrics-server', 'kube'];

function run(args: string[], env: NodeJS.ProcessEnv = {}): number {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}

const built = run([launcher, 'build', ...SERVERS]);
if (built !== 0) process.exit(built);
const natsServer = spawnSync(process.execPath, [launcher, 'path', 'nats-server'], { encoding: 'utf8' });
process.exitCode = run(
  ['node_modules/mocha/bin/mocha.js', 'spec/real/**/*.spec.ts', 'spec/hostile/**/*.spec.ts'],
  {
    SERVICES: services,
    NATS_SERVER: natsServer.stdout.trim(),
  },
);
