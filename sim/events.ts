import type { KubeEvent, KubeObject } from './objects.ts';
import { microTimeText, timeText } from './time.ts';
import type { World } from './world.ts';

/** Events live for an hour in a real API server's default setting. */
const eventLifeMs = 3_600_000;

/** What a component says about an object. */
export interface Saying {
  readonly about: KubeObject;
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly host?: string;
  readonly fieldPath?: string;
}

/** The namespace that an event about this object is kept in: cluster-scoped objects' events go to `default`. */
function eventNamespace(about: KubeObject): string {
  return about.metadata.namespace ?? 'default';
}

function involved(saying: Saying): KubeEvent['involvedObject'] {
  const { about } = saying;
  return {
    kind: about.kind,
    ...(about.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
    name: about.metadata.name,
    uid: about.metadata.uid,
    apiVersion: about.apiVersion,
    resourceVersion: about.metadata.resourceVersion,
    ...(saying.fieldPath === undefined ? {} : { fieldPath: saying.fieldPath }),
  };
}

function eventName(world: World, about: KubeObject): string {
  const nanoseconds = BigInt(world.nowMs) * 1_000_000n + BigInt(world.random.int(0, 999_999));
  return `${about.metadata.name}.${nanoseconds.toString(16)}`;
}

/**
 * Records an event in the old shape, which kubelets and controllers write: `count`, `firstTimestamp`,
 * `lastTimestamp`; a repetition raises the count of the event that is there.
 */
export function recordEvent(world: World, saying: Saying): void {
  const namespace = eventNamespace(saying.about);
  const repeated = world.store
    .inNamespace('events', namespace)
    .find(
      (event) =>
        event.involvedObject.uid === saying.about.metadata.uid &&
        event.reason === saying.reason &&
        event.message === saying.message &&
        event.count !== undefined,
    );
  if (repeated !== undefined) {
    world.store.put('events', {
      ...repeated,
      count: (repeated.count ?? 1) + 1,
      lastTimestamp: world.now(),
    });
    return;
  }
  world.create(
    'events',
    { name: eventName(world, saying.about), namespace },
    {
      involvedObject: involved(saying),
      reason: saying.reason,
      message: saying.message,
      source: { component: saying.component, ...(saying.host === undefined ? {} : { host: saying.host }) },
      firstTimestamp: world.now(),
      lastTimestamp: world.now(),
      count: 1,
      type: saying.type ?? 'Normal',
      eventTime: null,
      reportingComponent: saying.component,
      reportingInstance: saying.host ?? '',
    },
    saying.component,
  );
}

/**
 * Records an event as the scheduler does: only `eventTime` is set and the old time fields are null. With
 * `seriesCount` it is a series, as events.k8s.io clients make of repetitions.
 */
export function recordNewEvent(
  world: World,
  saying: Saying & { readonly action: string; readonly seriesCount?: number },
): void {
  const atMs = world.nowMs;
  const firstMs = saying.seriesCount === undefined ? atMs : atMs - saying.seriesCount * 30_000;
  const micros = world.random.int(0, 999);
  world.create(
    'events',
    { name: eventName(world, saying.about), namespace: eventNamespace(saying.about) },
    {
      involvedObject: involved(saying),
      reason: saying.reason,
      message: saying.message,
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      type: saying.type ?? 'Normal',
      eventTime: microTimeText(firstMs, micros),
      ...(saying.seriesCount === undefined
        ? {}
        : { series: { count: saying.seriesCount, lastObservedTime: microTimeText(atMs, micros) } }),
      action: saying.action,
      reportingComponent: saying.component,
      reportingInstance: saying.host ?? `${saying.component}-0`,
    },
    saying.component,
  );
}

/** Removes events that were last seen more than an hour ago. */
export function expireEvents(world: World): void {
  const oldest = timeText(world.nowMs - eventLifeMs);
  for (const event of world.store.list('events')) {
    const seen = event.lastTimestamp ?? event.series?.lastObservedTime ?? event.eventTime;
    if (seen !== null && seen < oldest) {
      world.store.remove('events', event.metadata.namespace ?? '', event.metadata.name);
    }
  }
}
