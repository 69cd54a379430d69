import { clusterMachine } from '../machines/cluster.ts';
import { collectorMachine } from '../machines/collector.ts';
import { diagramOf } from '../machines/diagram.ts';
import { toMermaid } from '../machines/mermaid.ts';

const MACHINES: readonly (readonly [string, Parameters<typeof diagramOf>[0], string])[] = [
  [
    'A cluster in the backend',
    clusterMachine,
    'One actor per cluster, `machines/cluster.ts`: three regions side by side. Live at `/debug/actors`.',
  ],
  [
    'An agent',
    collectorMachine,
    "An agent's life, `machines/collector.ts`: only a leader collects and publishes.",
  ],
];

/** The text of docs/machines.md: every machine, drawn from its definition. */
export const machinesPage = (): string =>
  [
    '# State machines',
    'Drawn from the definitions by `make diagrams`; a spec fails when this page is older than they are. An arrow reads ' +
      '`event [guard] / actions`; `done` and `failed` are the ends of invoked work, `computed` are actions that depend ' +
      'on the event, and `any state` stands for every state beside it.',
    ...MACHINES.flatMap(([title, machine, about]) => [
      `## ${title}`,
      about,
      `\`\`\`mermaid\n${toMermaid(diagramOf(machine))}\n\`\`\``,
    ]),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
