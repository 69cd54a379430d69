import type { Labels, Pod, PodSpec } from '../objects.ts';
import type { World } from '../world.ts';
import { writeStatus } from './owned.ts';

const units: { readonly [unit: string]: number } = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** CPU in millicores or memory in bytes, from the spellings that the generator uses (`250m`, `2`, `64Mi`). */
export function amountOf(quantity: string | undefined, what: 'cpu' | 'memory'): number {
  if (quantity === undefined) return 0;
  const [, digits = '0', unit = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  const value = Number(digits);
  if (what === 'cpu') return unit === 'm' ? value : value * 1000;
  return value * (units[unit] ?? 1);
}

interface Asks {
  readonly requests: { readonly cpu: number; readonly memory: number };
  readonly limits: { readonly cpu: number; readonly memory: number };
}

// A spec never changes, and a namespace is counted again at every change of one of its pods.
const asks = new WeakMap<PodSpec, Asks>();

/** What a pod's containers and native sidecars ask for together, in millicores and bytes. */
function asksOf(spec: PodSpec): Asks {
  const known = asks.get(spec);
  if (known !== undefined) return known;
  const sidecars = (spec.initContainers ?? []).filter((each) => each.restartPolicy === 'Always');
  const containers = [...spec.containers, ...sidecars];
  const sum = (from: 'requests' | 'limits', what: 'cpu' | 'memory'): number =>
    containers.reduce((total, each) => total + amountOf(each.resources[from]?.[what], what), 0);
  const summed = {
    requests: { cpu: sum('requests', 'cpu'), memory: sum('requests', 'memory') },
    limits: { cpu: sum('limits', 'cpu'), memory: sum('limits', 'memory') },
  };
  asks.set(spec, summed);
  return summed;
}

/** Millicores and bytes in the API's canonical spelling. */
export function quantityText(amount: number, what: 'cpu' | 'memory'): string {
  if (what === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  const [unit, size] =
    Object.entries(units)
      .reverse()
      .find(([, each]) => amount > 0 && amount % each === 0) ?? (['', 1] as const);
  return `${amount / size}${unit}`;
}

function isCounted(pod: Pod): boolean {
  return pod.status.phase !== 'Succeeded' && pod.status.phase !== 'Failed';
}

/** Counts what a namespace uses of its quota. */
export function syncQuota(world: World, namespace: string, name: string): void {
  const quota = world.store.get('resourcequotas', namespace, name);
  if (quota === null) return;
  const pods = world.store.inNamespace('pods', namespace).filter(isCounted);
  const used: Record<string, string> = {};
  for (const key of Object.keys(quota.spec.hard)) {
    if (key === 'pods') used[key] = String(pods.length);
    else if (key === 'services') used[key] = String(world.store.inNamespace('services', namespace).length);
    else if (key === 'persistentvolumeclaims') {
      used[key] = String(world.store.inNamespace('persistentvolumeclaims', namespace).length);
    } else used[key] = usedOf(pods, key);
  }
  const status: { hard: Labels; used: Labels } = { hard: quota.spec.hard, used };
  writeStatus(world, 'resourcequotas', quota, status);
}

function usedOf(pods: readonly Pod[], key: string): string {
  const [from, what] = key.split('.');
  const side = from === 'limits' ? 'limits' : 'requests';
  const unit = what === 'memory' ? 'memory' : 'cpu';
  return quantityText(
    pods.reduce((sum, pod) => sum + asksOf(pod.spec)[side][unit], 0),
    unit,
  );
}
