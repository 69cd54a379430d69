/** The command line: `./proxima <command>`. Each command is loaded when it is asked for. */
import process from 'node:process';

interface Command {
  readonly summary: string;
  /** Returns the exit code. */
  readonly load: () => Promise<(argv: string[]) => Promise<number>>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'run the backend: ingest, actors and the HTTP API',
    load: async () => (await import('./scripts/serve.ts')).runServe,
  },
  agent: {
    summary: 'run the agent of one cluster',
    load: async () => (await import('./agent/main.ts')).runAgentCommand,
  },
  demo: {
    summary: 'run the whole system on a simulated cluster, or on the one of KUBECONFIG',
    load: async () => (await import('./scripts/demo.ts')).runDemo,
  },
  migrate: {
    summary: 'bring the database of DATABASE_URL to the current schema',
    load: async () => (await import('./scripts/migrate.ts')).runMigrate,
  },
  sanitize: {
    summary: 'hide the secrets in lines of a log, to see what the API would show of them',
    load: async () => (await import('./scripts/sanitize.ts')).runSanitize,
  },
};

const usage = [
  'usage: ./proxima <command> [options]',
  '',
  ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`),
  '',
  './proxima <command> --help tells more.',
].join('\n');

const [name, ...argv] = process.argv.slice(2);
const command = name === undefined ? undefined : commands[name];
if (command === undefined) {
  const asked = name === undefined || name === '--help' || name === '-h' || name === 'help';
  if (asked) console.log(usage);
  else console.error(`proxima: no command "${name}"\n\n${usage}`);
  process.exitCode = asked ? 0 : 2;
} else {
  const run = await command.load();
  process.exitCode = await run(argv);
}
