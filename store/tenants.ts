/** Clients and their environments. Slugs never change: subjects and agent JWTs hold them (contracts.md section 5). */

import { isoTime } from './isoTime.ts';
import type { Db } from './pool.ts';

export interface Client {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Tenant number in the log and metric stores. */
  readonly tenant: number;
  readonly created_at: string;
}

export interface Environment {
  readonly id: string;
  readonly client_id: string;
  readonly slug: string;
  readonly name: string;
  readonly created_at: string;
}

type Row<T> = Omit<T, 'created_at'> & { created_at: Date };
const dated = <T extends { created_at: Date }>(row: T) => ({ ...row, created_at: isoTime(row.created_at) });

/** Every client, by slug. */
export async function listClients(db: Db): Promise<Client[]> {
  const { rows } = await db.query<Row<Client>>(
    'select id, slug, name, tenant, created_at from clients order by slug',
  );
  return rows.map(dated);
}

/** True when the client exists. */
export async function clientExists(db: Db, id: string): Promise<boolean> {
  const { rowCount } = await db.query('select from clients where id = $1', [id]);
  return rowCount === 1;
}

/** The new client; null when its slug is taken. A slug that the constraints refuse throws. */
export async function createClient(db: Db, client: { slug: string; name: string }): Promise<Client | null> {
  const { rows } = await db.query<Row<Client>>(
    `insert into clients (slug, name) values ($1, $2)
     on conflict (slug) do nothing
     returning id, slug, name, tenant, created_at`,
    [client.slug, client.name],
  );
  return rows[0] === undefined ? null : dated(rows[0]);
}

/** Every environment, or those of one client, by client and slug. */
export async function listEnvironments(db: Db, clientId: string | null): Promise<Environment[]> {
  const { rows } = await db.query<Row<Environment>>(
    `select e.id, e.client_id, e.slug, e.name, e.created_at
     from environments e join clients c on c.id = e.client_id
     where $1::uuid is null or e.client_id = $1
     order by c.slug, e.slug`,
    [clientId],
  );
  return rows.map(dated);
}

/** The environment of that id (a UUID). */
export async function findEnvironment(db: Db, id: string): Promise<Environment | null> {
  const { rows } = await db.query<Row<Environment>>(
    'select id, client_id, slug, name, created_at from environments where id = $1',
    [id],
  );
  return rows[0] === undefined ? null : dated(rows[0]);
}

export type CreatedEnvironment =
  | { readonly kind: 'created'; readonly environment: Environment }
  | { readonly kind: 'no_client' }
  | { readonly kind: 'slug_taken' };

/** Adds an environment to a client. */
export async function createEnvironment(
  db: Db,
  environment: { client_id: string; slug: string; name: string },
): Promise<CreatedEnvironment> {
  const { rows } = await db.query<Row<Environment>>(
    `insert into environments (client_id, slug, name)
     select c.id, $2, $3 from clients c where c.id = $1
     on conflict (client_id, slug) do nothing
     returning id, client_id, slug, name, created_at`,
    [environment.client_id, environment.slug, environment.name],
  );
  if (rows[0] !== undefined) return { kind: 'created', environment: dated(rows[0]) };
  return (await clientExists(db, environment.client_id)) ? { kind: 'slug_taken' } : { kind: 'no_client' };
}
