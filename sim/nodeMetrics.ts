import type { NodeMetrics } from './objects.ts';
import { hash32 } from './random.ts';
import { timeText } from './time.ts';
import type { World } from './world.ts';

const scrapeMs = 15_000;

/**
 * What metrics-server would answer for every node that answers: usage follows the number of pods and moves a little
 * with every scrape. It is computed from the node and the time, so asking changes nothing.
 */
export function nodeMetrics(world: World): NodeMetrics[] {
  const scrapedMs = Math.floor(world.nowMs / scrapeMs) * scrapeMs;
  return world.store
    .list('nodes')
    .filter((node) => !world.downNodes.has(node.metadata.name))
    .map((node) => {
      const { name, uid, creationTimestamp, labels } = node.metadata;
      const noise = hash32(`${uid}/${scrapedMs}`) / 2 ** 32;
      const pods = world.podsOn(name);
      return {
        kind: 'NodeMetrics',
        apiVersion: 'metrics.k8s.io/v1beta1',
        metadata: {
          name,
          uid,
          resourceVersion: '',
          creationTimestamp,
          ...(labels === undefined ? {} : { labels }),
        },
        timestamp: timeText(scrapedMs),
        window: '20.042s',
        usage: {
          cpu: `${Math.round((100 + pods * 35) * (0.8 + noise * 0.4) * 1_000_000)}n`,
          memory: `${Math.round((900_000 + pods * 180_000) * (0.9 + noise * 0.2))}Ki`,
        },
      };
    });
}
