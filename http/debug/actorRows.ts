/** Actors as the visualizer names them: by client, environment and cluster slug. */

import type { ActorView } from '../../actors/inspector.ts';
import type { Db } from '../../store/pool.ts';
import { listClients, listEnvironments } from '../../store/tenants.ts';

/** Slugs of the environment that an actor's cluster is in; null while it is not known. */
export interface PlaceName {
  readonly client: string | null;
  readonly environment: string | null;
}

export type ActorRow<A extends ActorView> = A & PlaceName & { readonly slug: string };

const NAMELESS: PlaceName = { client: null, environment: null };

/** The slugs by environment id. They never change (contracts.md section 5), so an old map is only ever short. */
export async function placeNames(db: Db): Promise<ReadonlyMap<string, PlaceName>> {
  const [clients, environments] = [await listClients(db), await listEnvironments(db, null)];
  const slugs = new Map(clients.map(({ id, slug }) => [id, slug]));
  return new Map(
    environments.map(({ id, client_id, slug }) => [
      id,
      { client: slugs.get(client_id) ?? null, environment: slug },
    ]),
  );
}

const partsOf = (key: string): readonly [string, string] => {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
};

export function named<A extends ActorView>(names: ReadonlyMap<string, PlaceName>, actor: A): ActorRow<A> {
  const [environmentId, slug] = partsOf(actor.key);
  return { ...actor, ...(names.get(environmentId) ?? NAMELESS), slug };
}

/** True when each of these actors can be named. */
export const allNamed = (
  names: ReadonlyMap<string, PlaceName>,
  actors: readonly { readonly key: string }[],
): boolean => actors.every(({ key }) => names.has(partsOf(key)[0]));
