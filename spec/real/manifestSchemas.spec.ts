/**
 * Whole objects as the API server's own schema describes them, every field filled, with a secret planted in every text: the
 * redaction must know the places of the release that runs, not of the one that it was written for.
 */
import assert from 'node:assert/strict';
import { MANIFEST_KINDS, type ManifestKind, redactManifest } from '../../rules/scrub/manifest.ts';
import { faultsOf, Planter } from '../rules/scrub/planted.ts';
import type { ControlPlane } from '../support/kubernetes.ts';
import { startControlPlane } from '../support/kubernetes.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

type Schemas = Readonly<Record<string, Schema>>;

/** Group and version that serve a kind, and the name of its schema. A Rollout is a Deployment's pod template in its own spec. */
const SERVED: Readonly<Record<ManifestKind, readonly [string, string]>> = {
  Deployment: ['apis/apps/v1', 'io.k8s.api.apps.v1.Deployment'],
  StatefulSet: ['apis/apps/v1', 'io.k8s.api.apps.v1.StatefulSet'],
  DaemonSet: ['apis/apps/v1', 'io.k8s.api.apps.v1.DaemonSet'],
  Rollout: ['apis/apps/v1', 'io.k8s.api.apps.v1.Deployment'],
  ReplicaSet: ['apis/apps/v1', 'io.k8s.api.apps.v1.ReplicaSet'],
  Pod: ['api/v1', 'io.k8s.api.core.v1.Pod'],
  Service: ['api/v1', 'io.k8s.api.core.v1.Service'],
  Ingress: ['apis/networking.k8s.io/v1', 'io.k8s.api.networking.v1.Ingress'],
  HorizontalPodAutoscaler: ['apis/autoscaling/v2', 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler'],
  Job: ['apis/batch/v1', 'io.k8s.api.batch.v1.Job'],
  CronJob: ['apis/batch/v1', 'io.k8s.api.batch.v1.CronJob'],
  NetworkPolicy: ['apis/networking.k8s.io/v1', 'io.k8s.api.networking.v1.NetworkPolicy'],
  PersistentVolumeClaim: ['api/v1', 'io.k8s.api.core.v1.PersistentVolumeClaim'],
};

/** Keys for maps of texts; those of annotations have fates of their own. */
const KEYS = ['note', 'db-password'];
const COPIES = ['kubectl.kubernetes.io/last-applied-configuration', 'kapp.k14s.io/original'];

/** An object of the schema with a placeholder for every text; `fill` plants in it. */
function exampleOf(schemas: Schemas, schema: Schema, field: string): unknown {
  const target = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (target !== undefined) {
    const found = schemas[target.replace('#/components/schemas/', '')];
    assert.ok(found, `no schema ${target}`);
    return exampleOf(schemas, found, field);
  }
  if (schema.properties !== undefined) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(schemas, part, name)]),
    );
  }
  if (schema.additionalProperties !== undefined) {
    const keys = field === 'annotations' ? [...KEYS, ...COPIES] : KEYS;
    return Object.fromEntries(
      keys.map((key) => [key, exampleOf(schemas, schema.additionalProperties ?? {}, key)]),
    );
  }
  if (schema.type === 'array') return [exampleOf(schemas, schema.items ?? {}, field)];
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  if (schema.type === 'boolean') return true;
  // Quantities and ports are numbers or texts; other unions and untyped values of the API are objects of free form.
  return schema.type === 'object' ? {} : '*';
}

describe('manifests of every field that the API server knows', function () {
  this.timeout(180_000);
  let kube: ControlPlane;
  const served = new Map<string, Schemas>();

  before(async () => {
    kube = await startControlPlane();
    for (const path of new Set(Object.values(SERVED).map(([group]) => group))) {
      const answer = JSON.parse(await kube.kubectl(['get', '--raw', `/openapi/v3/${path}`])) as {
        components: { schemas: Schemas };
      };
      served.set(path, answer.components.schemas);
    }
  });

  after(() => kube?.stop());

  for (const kind of MANIFEST_KINDS) {
    it(`hides every secret of a ${kind} and leaves alone what tells objects apart (LV-04)`, () => {
      const [path, name] = SERVED[kind];
      const schemas = served.get(path) ?? {};
      const example = exampleOf(schemas, schemas[name] ?? {}, '') as object;
      const planter = new Planter();
      const object = planter.fill({ ...example, kind });
      const answer = redactManifest(kind, object);
      assert.ok(answer.kind === 'redacted', answer.kind === 'refused' ? answer.reason : '');
      assert.ok(planter.planted.length > 40, `${planter.planted.length} texts`);
      assert.deepEqual(faultsOf(planter.planted, answer.object), []);
      const again = redactManifest(kind, answer.object);
      assert.ok(again.kind === 'redacted');
      assert.deepEqual(again.object, answer.object);
      assert.ok(again.notes.every((note) => note.includes('labels')));
    });
  }
});
