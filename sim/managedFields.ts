import type { Fields, ManagedField } from './objects.ts';

const trees = new WeakMap<object, Fields>();

/**
 * The `fieldsV1` tree of a value: `f:` for fields, `k:` for list items known by name. Trees are remembered by the
 * value, so the thousand pods of one template share one.
 */
export function fieldTree(value: object): Fields {
  const known = trees.get(value);
  if (known !== undefined) return known;
  const tree: Record<string, unknown> = {};
  for (const [field, inside] of Object.entries(value)) {
    if (inside === undefined || inside === null) continue;
    tree[`f:${field}`] = branch(inside);
  }
  trees.set(value, tree);
  return tree;
}

function branch(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) return {};
  if (!Array.isArray(value)) return fieldTree(value);
  const items: Record<string, unknown> = {};
  for (const item of value) {
    if (typeof item !== 'object' || item === null || !('name' in item)) return {};
    items[`k:${JSON.stringify({ name: item.name })}`] = { '.': {}, ...fieldTree(item) };
  }
  return items;
}

const statusTrees = new Map<string, Fields>();

/**
 * The `fieldsV1` tree of a status. Its lists and maps are shown as wholes, so every status with the same fields has the
 * same tree: thousands of pods share a few.
 */
export function statusTree(status: object): Fields {
  const fields = Object.entries(status)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([field]) => field);
  const key = fields.join();
  let tree = statusTrees.get(key);
  if (tree === undefined) {
    tree = { 'f:status': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])) };
    statusTrees.set(key, tree);
  }
  return tree;
}

/** One entry of `managedFields`. */
export function managedBy(
  manager: string,
  apiVersion: string,
  time: string,
  fieldsV1: Fields,
  subresource?: 'status',
): ManagedField {
  return {
    manager,
    operation: 'Update',
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** The entries with the time of one writer moved; an entry that is not there yet is added. */
export function touched(
  entries: readonly ManagedField[] | undefined,
  entry: ManagedField,
): readonly ManagedField[] {
  const kept = (entries ?? []).filter(
    (each) => each.manager !== entry.manager || each.subresource !== entry.subresource,
  );
  return [...kept, entry];
}
