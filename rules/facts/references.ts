/** References of a container to ConfigMaps, Secrets and claims: the name in the workload's own spec, no key, no item. */

import { fieldsOf, objectsOf, textOf } from './raw.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Sorted, each once, so that the same spec yields the same bytes (SF-21). */
export const sortedSet = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

const reference = (kind: string, name: unknown): string[] => {
  const text = textOf(name);
  return text === null ? [] : [`${kind}:${text}`];
};

/** The sources of a container's `envFrom`; a prefix renames every variable and is a name itself, so it counts (SF-10). */
export const envFromOf = (container: Raw): string[] =>
  sortedSet(
    objectsOf(container.envFrom).flatMap((source) => {
      const prefix = textOf(source.prefix);
      const references = [
        ...reference('configmap', fieldsOf(source.configMapRef).name),
        ...reference('secret', fieldsOf(source.secretRef).name),
      ];
      return prefix === null ? references : references.map((text) => `${text}#${prefix}`);
    }),
  );

/** Volume name to the references behind it. */
export type VolumeReferences = ReadonlyMap<string, readonly string[]>;

/**
 * What backs each volume of a pod template (SF-11 to SF-14). A claim template takes the place of a volume of the same
 * name, as it does in the StatefulSet controller.
 */
export function volumeReferences(podSpec: Raw, claimTemplates: unknown): VolumeReferences {
  const references = new Map<string, readonly string[]>();
  for (const volume of objectsOf(podSpec.volumes)) {
    const name = textOf(volume.name);
    if (name !== null) references.set(name, sourcesOf(volume));
  }
  for (const template of objectsOf(claimTemplates)) {
    const name = textOf(fieldsOf(template.metadata).name);
    if (name !== null) references.set(name, reference('pvc-template', name));
  }
  return references;
}

const sourcesOf = (volume: Raw): string[] => [
  ...reference('configmap', fieldsOf(volume.configMap).name),
  ...reference('secret', fieldsOf(volume.secret).secretName),
  ...reference('pvc', fieldsOf(volume.persistentVolumeClaim).claimName),
  ...objectsOf(fieldsOf(volume.projected).sources).flatMap((source) => [
    ...reference('configmap', fieldsOf(source.configMap).name),
    ...reference('secret', fieldsOf(source.secret).name),
  ]),
  ...reference('secret', fieldsOf(fieldsOf(volume.csi).nodePublishSecretRef).name),
];

/** References behind the volumes that a container mounts. */
export const mountedReferences = (container: Raw, volumes: VolumeReferences): string[] =>
  sortedSet(
    objectsOf(container.volumeMounts).flatMap((mount) => volumes.get(textOf(mount.name) ?? '') ?? []),
  );
