import type { Kinds, KubeObject, PodSpec, ResourceKey } from './objects.ts';
import { makeBarePod, type WrittenPodSpec } from './pods/makePod.ts';
import { resourceRow } from './resources.ts';
import type { Draft, World } from './world.ts';

/**
 * An object as an author writes it: name, namespace and labels instead of full metadata, and any fields of the kind. A
 * pod's spec may leave out what the API server fills in.
 */
export type Manifest<T extends KubeObject> = { readonly metadata: Draft } & {
  readonly [field in Exclude<keyof T, 'metadata'>]?:
    | T[field]
    | (T[field] extends PodSpec ? WrittenPodSpec : never);
};

/** Creates the object (a pod without a status then starts to live), or replaces spec, labels and annotations of the one that is there and keeps its identity. */
export function putManifest<R extends ResourceKey>(
  world: World,
  resource: R,
  manifest: Manifest<Kinds[R]>,
): Kinds[R] {
  const row = resourceRow(resource);
  const {
    metadata,
    kind: _kind,
    apiVersion: _version,
    ...body
  } = manifest as Manifest<KubeObject> & {
    spec?: object;
    status?: object;
  };
  const namespace = metadata.namespace ?? '';
  if (row.namespaced === (namespace === '')) {
    throw new Error(
      `${resource} ${metadata.name}: ${row.namespaced ? 'a namespace is missing' : 'has no namespace'}`,
    );
  }
  const stored = world.store.get(resource, namespace, metadata.name);
  if (stored === null) {
    const { name, namespace: _in, generateName, labels, annotations, ownerReferences } = metadata;
    const draft: Draft = {
      name,
      ...(generateName === undefined ? {} : { generateName }),
      ...(row.namespaced ? { namespace } : {}),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    };
    if (resource === 'pods' && body.status === undefined) {
      const pod = makeBarePod(world, draft, (body.spec ?? { containers: [] }) as WrittenPodSpec);
      return pod as unknown as Kinds[R];
    }
    const hasStatus = row.subresources.includes('status');
    return world.create(
      resource,
      draft,
      // A caller of `put` answers for the fields of the kind; only the status is ours to start.
      { ...(hasStatus ? { status: {} } : {}), ...body } as unknown as Omit<Kinds[R], keyof KubeObject>,
      'kubectl-client-side-apply',
    );
  }
  const merged = {
    ...stored,
    ...body,
    metadata: {
      ...stored.metadata,
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
  };
  return world.update(resource, merged, 'kubectl-client-side-apply');
}
