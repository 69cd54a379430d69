import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { FactsKind } from '../../../rules/facts/build.ts';
import { buildSpecFacts } from '../../../rules/facts/build.ts';
import type { Schema } from '../../../wire/kinds/define.ts';
import { specFactsSchema } from '../../../wire/specFacts.ts';
import { plant, VOLUME_NAME } from './plant.ts';
import { rawSpecOf } from './workloads.ts';

/**
 * Every field that facts may ever have. A further one is a decision about what leaves a customer's cluster: read
 * SF-16 first, then extend the list (SF-18).
 */
const ALLOWED_FIELDS = [
  'containers',
  'containers.env_from',
  'containers.env_names',
  'containers.image',
  'containers.init',
  'containers.limits',
  'containers.limits.cpu',
  'containers.limits.memory',
  'containers.name',
  'containers.requests',
  'containers.requests.cpu',
  'containers.requests.memory',
  'containers.volume_refs',
  'facts_version',
  'replicas',
  'strategy',
  'strategy.max_surge',
  'strategy.max_unavailable',
  'strategy.type',
];

/** Places of a spec whose text may leave: names, images, references, the prefix of `envFrom`, the strategy. */
const ALLOWED_PLACES: readonly RegExp[] = [
  /^template\.spec\.(containers|initContainers)\.\d+\.(name|image)$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.env\.\d+\.name$/,
  /^template\.spec\.(containers|initContainers)\.\d+\.envFrom\.\d+\.(prefix|configMapRef\.name|secretRef\.name)$/,
  /^template\.spec\.volumes\.\d+\.(configMap\.name|secret\.secretName|persistentVolumeClaim\.claimName)$/,
  /^template\.spec\.volumes\.\d+\.projected\.sources\.\d+\.(configMap|secret)\.name$/,
  /^template\.spec\.volumes\.\d+\.csi\.nodePublishSecretRef\.name$/,
  /^volumeClaimTemplates\.\d+\.metadata\.name$/,
  /^(strategy|updateStrategy)\.type$/,
  /^(strategy|updateStrategy)\.(rollingUpdate|canary|blueGreen)\.(maxSurge|maxUnavailable)$/,
];

const isAllowed = (place: string): boolean => ALLOWED_PLACES.some((allowed) => allowed.test(place));

describe('rules/facts leaks', () => {
  it('has exactly the fields of the frozen list (SF-18)', () => {
    deepEqual(fieldsOf(specFactsSchema).sort(), ALLOWED_FIELDS);
  });

  it('has in protobuf the same fields of the same types as on the wire (SF-02)', () => {
    deepEqual(fieldsOfProto('WorkloadSpecFacts', readProto()).sort(), typedFieldsOf(specFactsSchema).sort());
  });

  for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout'] as const satisfies FactsKind[]) {
    it(`lets out of a ${kind} the allowed places and nothing else (SF-16, SF-19)`, () => {
      const { spec, places } = plant(rawSpecOf(kind));
      const text = JSON.stringify(buildSpecFacts(kind, spec));
      const leaked = [...places].filter(([marker]) => text.includes(marker)).flatMap(([, from]) => from);
      deepEqual(
        leaked.filter((place) => !isAllowed(place) && !VOLUME_NAME.test(place)),
        [],
      );
      // The test sees what it looks for: markers of allowed places do come through.
      ok(leaked.filter(isAllowed).length > 20);
    });
  }

  it('shows no name of a volume but that of a claim template', () => {
    const { spec, places } = plant(rawSpecOf('StatefulSet'));
    const text = JSON.stringify(buildSpecFacts('StatefulSet', spec));
    const shown = [...places.keys()].filter((marker) => marker.includes('volume') && text.includes(marker));
    deepEqual(shown, ['marker-volume-claim']);
  });

  it('plants a marker in init, sidecar and ephemeral containers, in the metadata and beside every item (SF-19)', () => {
    const planted = [...plant(rawSpecOf('Deployment')).places.values()].flat();
    for (const place of [
      'template.metadata.annotations.checksum',
      'template.metadata.labels.app',
      'template.spec.initContainers.1.restartPolicy',
      'template.spec.ephemeralContainers.0.env.0.value',
      'template.spec.containers.0.args.1',
      'template.spec.containers.0.env.1.valueFrom.secretKeyRef.key',
      'template.spec.containers.0.env.3.valueFrom.fieldRef.fieldPath',
      'template.spec.volumes.0.configMap.items.0.key',
      'template.spec.volumes.9.csi.volumeAttributes.mountOptions',
    ]) {
      ok(planted.includes(place), place);
      equal(isAllowed(place), false);
    }
  });
});

type Node = { type?: unknown; properties?: Record<string, Schema>; items?: Schema };

/** Paths of a schema's fields, lists passed through. */
function fieldsOf(schema: Schema, prefix = ''): string[] {
  const { properties = {}, items } = schema as Node;
  if (items !== undefined) return fieldsOf(items, prefix);
  return Object.entries(properties).flatMap(([key, child]) => [
    prefix + key,
    ...fieldsOf(child, `${prefix}${key}.`),
  ]);
}

/** The same with protobuf's word for each type. */
function typedFieldsOf(schema: Schema, prefix = ''): string[] {
  const words: Readonly<Record<string, string>> = { integer: 'int32', string: 'string', boolean: 'bool' };
  const { properties = {} } = schema as Node;
  return Object.entries(properties).flatMap(([key, child]) => {
    const { type, items } = child as Node;
    const inner = items ?? child;
    const innerType = [(items as Node | undefined)?.type ?? type].flat()[0] as string;
    const label = items === undefined ? '' : 'repeated ';
    return [
      `${prefix}${key}: ${label}${words[innerType] ?? 'message'}`,
      ...typedFieldsOf(inner, `${prefix}${key}.`),
    ];
  });
}

type Messages = ReadonlyMap<string, readonly { name: string; type: string; repeated: boolean }[]>;

function readProto(): Messages {
  const source = readFileSync(
    new URL('../../../api/proto/kube/v1/workload_spec.proto', import.meta.url),
    'utf8',
  );
  const messages = [...source.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)];
  return new Map(
    messages.map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {2}(?:(repeated|optional) )?(\w+) (\w+) = \d+;/gm)].map(
        ([, label, type = '', field = '']) => ({
          name: field,
          type,
          repeated: label === 'repeated',
        }),
      ),
    ]),
  );
}

function fieldsOfProto(message: string, messages: Messages, prefix = ''): string[] {
  return (messages.get(message) ?? []).flatMap(({ name, type, repeated }) => {
    const word = messages.has(type) ? 'message' : type;
    return [
      `${prefix}${name}: ${repeated ? 'repeated ' : ''}${word}`,
      ...fieldsOfProto(type, messages, `${prefix}${name}.`),
    ];
  });
}
