import type { SimCluster } from '../cluster.ts';
import type { Fields, Labels, Lease } from '../objects.ts';
import { resourceRow } from '../resources.ts';
import { type Answer, jsonText } from './answer.ts';
import { objectText } from './representation.ts';
import { badRequest, type Cause, detailsOf, failure, invalid, notFound, qualified } from './status.ts';

const subject = { group: 'coordination.k8s.io', resource: 'leases' };
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The body of a create or update, as far as this server reads it. */
interface Written {
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly uid: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly spec: Fields;
}

/** `POST .../leases`. Of several who create the same Lease one gets 201, the others 409 AlreadyExists. */
export function createLease(cluster: SimCluster, namespace: string, body: string): Answer {
  const written = readLease(body, namespace);
  if ('body' in written) return written;
  const { name } = written;
  if (name === '')
    return invalidLease(name, 'FieldValueRequired', 'Required value: name or generateName is required');
  if (!subdomain.test(name)) {
    return invalidLease(
      name,
      'FieldValueInvalid',
      `Invalid value: ${JSON.stringify(name)}: not a lowercase RFC 1123 subdomain`,
    );
  }
  if (cluster.get('namespaces', '', namespace) === null) {
    return notFound({ group: '', resource: 'namespaces' }, namespace);
  }
  if (cluster.get('leases', namespace, name) !== null) {
    return failure(
      409,
      'AlreadyExists',
      `${qualified(subject)} "${name}" already exists`,
      detailsOf(subject, name),
    );
  }
  return stored(cluster, namespace, written, 201);
}

/**
 * `PUT .../leases/<name>`: written only when `metadata.resourceVersion` is that of the stored Lease, else 409 Conflict.
 * A Lease that is not there is created, as the API server does for this resource, unless the body has a uid: that one is
 * gone, which is a Conflict too (asked of a Kubernetes 1.37 API server).
 */
export function updateLease(cluster: SimCluster, namespace: string, name: string, body: string): Answer {
  const written = readLease(body, namespace);
  if ('body' in written) return written;
  if (written.name !== name) {
    return badRequest(
      `the name of the object (${written.name}) does not match the name on the URL (${name})`,
    );
  }
  const current = cluster.get('leases', namespace, name);
  const uid = current?.metadata.uid ?? '';
  if (written.uid !== '' && written.uid !== uid) {
    return conflict(
      name,
      `Precondition failed: UID in precondition: ${written.uid}, UID in object meta: ${uid}`,
    );
  }
  if (current === null) return createLease(cluster, namespace, body);
  if (written.resourceVersion === '') {
    const message = 'Invalid value: 0: must be specified for an update';
    const cause: Cause = { reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' };
    return invalid('leases', { name, group: subject.group }, [cause]);
  }
  if (written.resourceVersion !== current.metadata.resourceVersion) {
    return conflict(
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  return stored(cluster, namespace, written, 200);
}

function stored(cluster: SimCluster, namespace: string, written: Written, status: 200 | 201): Answer {
  const { name, labels, annotations, spec } = written;
  const metadata = {
    name,
    namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const lease: Lease = cluster.put('leases', { metadata, spec });
  return jsonText(objectText(resourceRow('leases'), lease), status);
}

function conflict(name: string, why: string): Answer {
  const message = `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`;
  return failure(409, 'Conflict', message, detailsOf(subject, name));
}

function invalidLease(name: string, reason: string, message: string): Answer {
  const named = name === '' ? {} : { name };
  return invalid('Lease', { ...named, group: subject.group }, [{ reason, message, field: 'metadata.name' }]);
}

function readLease(body: string, namespace: string): Written | Answer {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    return badRequest(
      "the object provided is unrecognized (must be of type Lease): couldn't get version/kind",
    );
  }
  if (!isFields(given)) return badRequest('the object provided is unrecognized (must be of type Lease)');
  const { kind = 'Lease', metadata, spec } = given;
  if (kind !== 'Lease') return badRequest(`${String(kind)} cannot be handled as a Lease`);
  const meta = isFields(metadata) ? metadata : {};
  const written = {
    name: textOf(meta.name),
    namespace: textOf(meta.namespace),
    resourceVersion: textOf(meta.resourceVersion),
    uid: textOf(meta.uid),
    ...(isLabels(meta.labels) ? { labels: meta.labels } : {}),
    ...(isLabels(meta.annotations) ? { annotations: meta.annotations } : {}),
    spec: isFields(spec) ? spec : {},
  };
  if (written.namespace !== '' && written.namespace !== namespace) {
    return badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  return written;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLabels(value: unknown): value is Labels {
  return isFields(value) && Object.values(value).every((each) => typeof each === 'string');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
