import type { SimCluster } from '../cluster.ts';
import type { KubeObject } from '../objects.ts';
import { apiVersionOf, type ResourceRow } from '../resources.ts';
import type { Entry } from '../store.ts';
import { type Answer, jsonText } from './answer.ts';
import { readToken, writeToken } from './continueToken.ts';
import { type Form, itemText, metadataText } from './representation.ts';
import { parseFieldSelector, parseLabelSelector, type Selector } from './selectors.ts';
import { badRequest, failure } from './status.ts';

const expiredMessage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** The 410 of a list whose revision is compacted. Its token goes on from `start` with what is stored by then. */
export function expired(start: string): Answer {
  return failure(410, 'Expired', expiredMessage, undefined, {
    continue: writeToken({ revision: -1, start }),
  });
}

/** Where a page begins and in which picture of the resource. */
interface Opening {
  readonly revision: number;
  readonly entries: readonly Entry[];
  readonly start: string;
  readonly limit: number;
}

/** A page of a resource, in one namespace or, when that is empty, in all of them. */
export function list(
  cluster: SimCluster,
  row: ResourceRow,
  namespace: string,
  query: URLSearchParams,
  form: Exclude<Form, { kind: 'unacceptable' }>,
): Answer {
  const opening = open(cluster, row, query);
  if ('body' in opening) return opening;
  const selectors = readSelectors(row, query);
  const bad = selectors.find((selector) => selector.kind === 'bad');
  if (bad !== undefined) return badRequest(bad.message);

  const prefix = namespace === '' ? '' : `${namespace}/`;
  const entries = opening.entries.filter(({ key }) => key >= opening.start && key.startsWith(prefix));
  const page: KubeObject[] = [];
  let seen = 0;
  for (const { object } of entries) {
    if (opening.limit > 0 && page.length === opening.limit) break;
    seen += 1;
    if (selectors.every((selector) => selector.kind === 'test' && selector.matches(object)))
      page.push(object);
  }
  const next = entries[seen];
  if (next === undefined) return written(row, form, page, { revision: opening.revision });
  // Kept once: a revision does not grow younger by being read.
  if (cluster.snapshots.find(row.key, opening.revision, cluster.nowMs) === null) {
    cluster.snapshots.keep(row.key, opening.revision, opening.entries, cluster.nowMs);
  }
  return written(row, form, page, {
    revision: opening.revision,
    next: writeToken({ revision: opening.revision, start: next.key }),
    // The server counts keys, so it can't say how many of them a selector would let through.
    ...(selectors.length === 0 ? { remaining: entries.length - seen } : {}),
  });
}

function open(cluster: SimCluster, row: ResourceRow, query: URLSearchParams): Opening | Answer {
  const limitText = query.get('limit') || '0';
  if (!/^-?\d+$/.test(limitText)) {
    return badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limitText)}: invalid syntax`);
  }
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) {
    const reason = `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
    return badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(version)}: ${reason}`,
    );
  }
  const { store } = cluster;
  const limit = Number(limitText);
  const token = query.get('continue') ?? '';
  if (token !== '') {
    if (Number(version) > 0) {
      return badRequest('specifying resource version is not allowed when using continue');
    }
    return reopen(cluster, row, token, limit);
  }
  if (Number(version) > store.revision) return tooLarge(version, store.revision);
  // With resourceVersion=0 the answer comes from the watch cache, which does not page.
  const unpaged = version !== '' && Number(version) === 0;
  return { revision: store.revision, entries: store.entries(row.key), start: '', limit: unpaged ? 0 : limit };
}

function reopen(cluster: SimCluster, row: ResourceRow, text: string, limit: number): Opening | Answer {
  const token = readToken(text);
  if ('fault' in token) return badRequest(`invalid continue token: ${token.fault}`);
  const { store, snapshots, nowMs } = cluster;
  const { start } = token;
  if (token.revision < 0) return { revision: store.revision, entries: store.entries(row.key), start, limit };
  const entries = snapshots.find(row.key, token.revision, nowMs);
  return entries === null ? expired(start) : { revision: token.revision, entries, start, limit };
}

function tooLarge(wanted: string, current: number): Answer {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return {
    ...failure(504, 'Timeout', message, { causes, retryAfterSeconds: 1 }),
    headers: { 'Retry-After': '1' },
  };
}

function readSelectors(row: ResourceRow, query: URLSearchParams): Selector[] {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  return [
    ...(labels === '' ? [] : [parseLabelSelector(labels)]),
    ...(fields === '' ? [] : [parseFieldSelector(row.key, fields)]),
  ];
}

function written(
  row: ResourceRow,
  form: Exclude<Form, { kind: 'unacceptable' }>,
  page: readonly KubeObject[],
  at: { readonly revision: number; readonly next?: string; readonly remaining?: number },
): Answer {
  const resourceVersion = String(at.revision);
  const remaining = at.remaining === undefined ? {} : { remainingItemCount: at.remaining };
  const more = at.next === undefined ? {} : { continue: at.next };
  const metadata = JSON.stringify({ resourceVersion, ...more, ...remaining });
  if (form.kind === 'metadata') {
    const items = page.map((object) => metadataText(object, form.version)).join(',');
    const head = `"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${form.version}"`;
    return jsonText(`{${head},"metadata":${metadata},"items":[${items}]}`);
  }
  const items = page.map((object) => itemText(row, object)).join(',');
  if (!row.custom) {
    const head = `"kind":"${row.kind}List","apiVersion":"${apiVersionOf(row)}"`;
    return jsonText(`{${head},"metadata":${metadata},"items":[${items}]}`);
  }
  // Unstructured lists have their keys sorted and show an empty `continue`.
  const sortedMetadata = JSON.stringify({ continue: at.next ?? '', ...remaining, resourceVersion });
  const apiVersion = `"apiVersion":"${apiVersionOf(row)}"`;
  return jsonText(`{${apiVersion},"items":[${items}],"kind":"${row.kind}List","metadata":${sortedMetadata}}`);
}
