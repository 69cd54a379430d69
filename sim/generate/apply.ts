import type { Kinds, KubeObject, Labels, ResourceKey } from '../objects.ts';
import { apiVersionOf, resourceRow } from '../resources.ts';
import type { Draft, World } from '../world.ts';

/** Who brought an object into the cluster. */
export type Origin =
  | { readonly by: 'kubectl' }
  | { readonly by: 'helm'; readonly release: string; readonly chart: string; readonly chartVersion: string };

/** The recommended labels of an application, and Helm's where it came by Helm. */
export function originLabels(name: string, origin: Origin): Labels {
  if (origin.by === 'kubectl') return { app: name };
  return {
    'app.kubernetes.io/instance': origin.release,
    'app.kubernetes.io/managed-by': 'Helm',
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/version': origin.chartVersion,
    'helm.sh/chart': `${origin.chart}-${origin.chartVersion}`,
  };
}

/** The labels by which a workload selects its pods: the part of `originLabels` that never changes. */
export function selectorLabels(name: string, origin: Origin): Labels {
  if (origin.by === 'kubectl') return { app: name };
  return { 'app.kubernetes.io/instance': origin.release, 'app.kubernetes.io/name': name };
}

function originAnnotations(resource: ResourceKey, draft: Draft, body: object, origin: Origin): Labels {
  if (origin.by === 'helm') {
    return {
      'meta.helm.sh/release-name': origin.release,
      'meta.helm.sh/release-namespace': draft.namespace ?? 'default',
    };
  }
  const row = resourceRow(resource);
  const { status: _status, ...written } = body as { status?: unknown };
  const { name, namespace, labels, annotations = {} } = draft;
  const manifest = {
    apiVersion: apiVersionOf(row),
    kind: row.kind,
    metadata: {
      annotations,
      ...(labels === undefined ? {} : { labels }),
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
    ...written,
  };
  return { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n` };
}

/** Creates an object with the traces that Helm or `kubectl apply` leave on it. */
export function applyObject<R extends ResourceKey>(
  world: World,
  resource: R,
  draft: Draft,
  body: Omit<Kinds[R], keyof KubeObject>,
  origin: Origin,
): Kinds[R] {
  const annotations = { ...draft.annotations, ...originAnnotations(resource, draft, body, origin) };
  const manager = origin.by === 'helm' ? 'helm' : 'kubectl-client-side-apply';
  return world.create(resource, { ...draft, annotations }, body, manager);
}
