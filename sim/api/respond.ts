import type { SimCluster } from '../cluster.ts';
import { reviewAccess } from './accessReview.ts';
import { type Answer, jsonText, pageNotFound } from './answer.ts';
import { discovery } from './discovery.ts';
import { createLease, updateLease } from './leases.ts';
import { list } from './list.ts';
import { getNodeMetrics, listNodeMetrics } from './nodeMetricsApi.ts';
import { podLog } from './podLog.ts';
import { metadataText, objectText, readAccept } from './representation.ts';
import { servedRow, servedVersions } from './served.ts';
import { failure, methodNotAllowed, noSuchResource, notFound } from './status.ts';
import type { ResourceTarget, Target } from './target.ts';
import type { TokenRights } from './tokens.ts';

/** A request that was authenticated and allowed. */
export interface Asked {
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly rights: TokenRights;
  readonly accept: string | undefined;
  /** The server's own `host:port`. */
  readonly host: string;
  readonly body: string;
}

/** The API's answer to a request, computed at once from the cluster as it stands. */
export function respond(cluster: SimCluster, asked: Asked): Answer {
  const { target } = asked;
  if (target.kind === 'path') {
    return target.verb === 'get' ? discovery(cluster, target.path, asked.host) : methodNotAllowed;
  }
  const { group, version } = target;
  const served = servedVersions(cluster).find((each) => each.group === group && each.version === version);
  if (served === undefined) return group === '' ? noSuchResource : pageNotFound;
  const resource = served.resources.find(({ name }) => name === target.resource);
  if (resource === undefined || (!resource.namespaced && target.namespace !== '')) {
    return group === 'argoproj.io' ? pageNotFound : noSuchResource;
  }
  if (group === 'metrics.k8s.io') return nodeMetricsApi(cluster, target);
  if (target.resource === 'selfsubjectaccessreviews') {
    return target.verb === 'create' ? reviewAccess(asked.rights, asked.body) : methodNotAllowed;
  }
  return stored(cluster, target, asked);
}

function nodeMetricsApi(cluster: SimCluster, { verb, name, subresource }: ResourceTarget): Answer {
  if (subresource !== '') return noSuchResource;
  if (verb === 'list') return listNodeMetrics(cluster);
  return verb === 'get' ? getNodeMetrics(cluster, name) : methodNotAllowed;
}

function stored(cluster: SimCluster, target: ResourceTarget, asked: Asked): Answer {
  const { group, version, resource, namespace, name, subresource, verb } = target;
  const row = servedRow(cluster, group, version, resource);
  // A namespaced object can't be named without its namespace.
  if (row === null || (row.namespaced && name !== '' && namespace === '')) return noSuchResource;
  if (subresource !== '') {
    if (resource !== 'pods' || subresource !== 'log') return noSuchResource;
    return verb === 'get' ? podLog(cluster, namespace, name, asked.query) : methodNotAllowed;
  }
  if (row.key === 'leases' && namespace !== '') {
    if (verb === 'create' && name === '') return createLease(cluster, namespace, asked.body);
    if (verb === 'update' && name !== '') return updateLease(cluster, namespace, name, asked.body);
  }
  if (verb !== 'get' && verb !== 'list') return methodNotAllowed;
  const form = readAccept(asked.accept);
  if (form.kind === 'unacceptable') {
    const message = 'only the following media types are accepted: application/json';
    return failure(406, 'NotAcceptable', message);
  }
  if (verb === 'list') return list(cluster, row, namespace, asked.query, form);
  const object = cluster.get(row.key, namespace, name);
  if (object === null) return notFound(target, name);
  if (form.kind === 'whole') return jsonText(objectText(row, object));
  if (!form.list) return jsonText(metadataText(object, form.version));
  const message = `you requested PartialObjectMetadataList, but the requested object is not a list (${row.kind})`;
  return failure(406, 'NotAcceptable', message);
}
