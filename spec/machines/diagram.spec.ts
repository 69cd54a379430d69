import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMachine, initialTransition } from 'xstate';
import { clusterMachine } from '../../machines/cluster.ts';
import { collectorMachine } from '../../machines/collector.ts';
import { diagramOf } from '../../machines/diagram.ts';
import { machineJson } from '../../machines/machineJson.ts';
import { toMermaid } from '../../machines/mermaid.ts';
import { machinesPage } from '../../scripts/machinesPage.ts';

describe('diagrams of the machines', () => {
  const cluster = diagramOf(clusterMachine);

  it('has every region and state of the cluster machine, parents first', () => {
    const [root, ...rest] = cluster.nodes;
    deepEqual([root?.id, root?.type, root?.parent], ['cluster', 'parallel', null]);
    const regions = rest.filter(({ parent }) => parent === 'cluster').map(({ key }) => key);
    deepEqual(regions, ['ingest', 'liveReads', 'presence']);
    const known = new Set<string | null>([null]);
    for (const { id, parent } of cluster.nodes) {
      ok(known.has(parent), `${id} comes before its parent`);
      known.add(id);
    }
  });

  it('says of a transition what takes it, under which guard, where to, and what it does', () => {
    const begin = cluster.edges.find(({ source }) => source === 'cluster.ingest.idle');
    deepEqual(
      [begin?.event, begin?.guard, begin?.target, begin?.actions],
      ['always', 'hasSnapshot', 'cluster.ingest.syncing', ['set syncing, snapshots']],
    );
    const events = cluster.edges.filter(({ source }) => source === 'cluster.ingest.syncing');
    deepEqual(
      events.map(({ kind, event }) => [kind, event]),
      [
        ['done', 'done syncCluster'],
        ['error', 'failed syncCluster'],
      ],
    );
    equal(cluster.edges.find(({ event }) => event === 'snapshot.arrived')?.target, null);
  });

  it('names delays, anonymous guards and final states', () => {
    const { nodes, edges } = diagramOf(
      createMachine({
        id: 'door',
        initial: 'open',
        states: {
          open: { after: { 50: { target: 'shut', guard: () => true } } },
          shut: { type: 'final' },
        },
      }),
    );
    deepEqual([edges[0]?.kind, edges[0]?.event, edges[0]?.guard], ['after', 'after 50', 'guard']);
    equal(nodes.at(-1)?.type, 'final');
  });

  it('writes Mermaid in which every arrow has both ends', () => {
    for (const machine of [clusterMachine, collectorMachine]) {
      const text = toMermaid(diagramOf(machine));
      match(text, /^stateDiagram-v2\n/);
      const declared = new Set([...text.matchAll(/state "[^"]+" as (\w+)/g)].map(([, name]) => name));
      for (const [, from = '', to = ''] of text.matchAll(/^\s*(\S+) --> (\S+)/gm)) {
        for (const end of [from, to]) ok(end === '[*]' || declared.has(end), `${end} is not declared`);
      }
      equal(text.split('{').length, text.split('}').length);
    }
  });

  it('writes JSON that XState takes back and starts in the same state', () => {
    const config = JSON.parse(JSON.stringify(machineJson(clusterMachine)));
    const again = createMachine(config);
    deepEqual(diagramOf(again).nodes, cluster.nodes);
    deepEqual(
      diagramOf(again).edges.map(({ source, target, event, guard }) => [source, target, event, guard]),
      cluster.edges.map(({ source, target, event, guard }) => [source, target, event, guard]),
    );
    ok(initialTransition(clusterMachine)[0].matches({ ingest: 'idle' }));
  });

  it('is drawn in docs/machines.md as it is now', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/machines.md'), 'utf8');
    equal(page, machinesPage(), 'run make diagrams');
  });
});
