/** Objects with a secret planted in every text, and what must become of each (redaction.md section 5). */

export type Fate = 'whole' | 'text' | 'untouched' | 'removed';

export interface Planted {
  readonly path: string;
  readonly fate: Fate;
  readonly value: string;
  readonly marker: string;
}

/** What must become of the text at a path, where `[]` stands for the items of a list. The first that matches holds. */
const FATES: readonly (readonly [RegExp, Fate])[] = [
  [/(?:^|\.)managedFields\b/, 'removed'],
  [
    /\.annotations\.(?:kubectl\.kubernetes\.io\/last-applied-configuration|kapp\.k14s\.io\/original)$/,
    'removed',
  ],
  [/\.annotations\.db-password$/, 'whole'],
  [/\.annotations\./, 'text'],
  [/\.env\[\]\.value$/, 'whole'],
  [/\.httpHeaders\[\]\.value$/, 'whole'],
  [/\.terminated\.message$/, 'whole'],
  [/\.(?:volumeAttributes|options)\.db-password$/, 'whole'],
  [/\.(?:volumeAttributes|options)\./, 'text'],
  [/\.analysis\.args\[\]\.value$/, 'text'],
  [
    /\.(?:labels|matchLabels|nodeSelector)\.|\.selector(?:\.|$)|elector\.|\.matchExpressions\[\]/,
    'untouched',
  ],
  [
    /\.(?:valueFrom|envFrom\[\]|secretRef|secretKeyRef|configMapRef|nodePublishSecretRef|imagePullSecrets\[\]|ownerReferences\[\])(?:\.|$)/,
    'untouched',
  ],
  [/\.volumes\[\]\.(?:secret|configMap|persistentVolumeClaim|projected)\./, 'untouched'],
  [/\.(?:ports\[\]|resources|capacity|allocatedResources|tls\[\]|scaleTargetRef)(?:\.|$)/, 'untouched'],
  [
    /\.(?:image|imageID|containerID|secretName|claimName|serviceName|serviceAccountName|sessionAffinity|storageClassName|volumeName)$/,
    'untouched',
  ],
  [/\.(?:fieldRef|resourceFieldRef|dataSource|dataSourceRef|resourceClaims\[\])(?:\.|$)/, 'untouched'],
  [
    /\.(?:port|nodeName|serviceAccount|schedulerName|priorityClassName|runtimeClassName|ingressClassName)$/,
    'untouched',
  ],
  [/(?:^|\.)(?:apiVersion|kind|name|generateName|namespace|uid)$/, 'untouched'],
];

export const fateOf = (path: string): Fate => FATES.find(([pattern]) => pattern.test(path))?.[1] ?? 'text';

/** Fills the texts of an object: `value` decides from the path, and what it returns is noted. */
export class Planter {
  readonly planted: Planted[] = [];

  /** A text for the place: a bare marker where the whole value goes, else a pair with a marker. */
  textAt(path: string): string {
    const marker = `mk${this.planted.length}Zq9x7`;
    const fate = fateOf(path);
    const value = fate === 'whole' ? marker : `password=${marker}`;
    this.planted.push({ path, fate, value, marker });
    return value;
  }

  /** A copy of the object with every text but `kind` of the object itself planted. */
  fill(value: unknown, path = ''): unknown {
    if (typeof value === 'string') return path === 'kind' ? value : this.textAt(path);
    if (Array.isArray(value)) return value.map((item) => this.fill(item, `${path}[]`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        this.fill(item, path === '' ? key : `${path}.${key}`),
      ]),
    );
  }
}

/** What went wrong: places whose secret shows, and places that were changed and must not be. */
export function faultsOf(planted: readonly Planted[], object: unknown): string[] {
  const shown = JSON.stringify(object);
  return planted.flatMap(({ path, fate, value, marker }) => {
    if (fate === 'untouched')
      return shown.includes(`${JSON.stringify(value)}`) ? [] : [`${path} was changed`];
    return shown.includes(marker) ? [`${path} shows its secret`] : [];
  });
}
