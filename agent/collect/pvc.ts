import { nanosOf, unitsUp } from '../../rules/kube/quantity.ts';
import type { Arrays } from '../../wire/kinds/index.ts';
import type { RawObject } from './object.ts';
import { describe, identityOf } from './object.ts';

export type PvcRecord = Arrays['pvcs'][number];

/** core/v1 PersistentVolumeClaim. */
export interface RawPvc extends RawObject {
  readonly spec?: {
    /** Empty when the claim asks for a volume without a class. */
    readonly storageClassName?: string | null;
    readonly accessModes?: readonly string[] | null;
    readonly volumeName?: string | null;
    readonly volumeMode?: string | null;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> | null } | null;
  } | null;
  readonly status?: {
    readonly phase?: string | null;
    readonly accessModes?: readonly string[] | null;
    readonly capacity?: Readonly<Record<string, string>> | null;
  } | null;
}

/** A claim as sent (AG-12). Access modes are the volume's once it is bound, until then the wanted ones. */
export function mapPvc({ metadata, spec, status }: RawPvc): PvcRecord {
  const granted = status?.accessModes ?? [];
  return {
    ...identityOf(metadata),
    phase: status?.phase || 'Pending',
    storage_class: spec?.storageClassName ?? null,
    capacity_bytes: unitsUp(nanosOf(status?.capacity?.storage)),
    requested_bytes: unitsUp(nanosOf(spec?.resources?.requests?.storage)),
    access_modes: [...(granted.length > 0 ? granted : (spec?.accessModes ?? []))],
    volume_name: spec?.volumeName || null,
    volume_mode: spec?.volumeMode || null,
    ...describe(metadata),
  };
}
