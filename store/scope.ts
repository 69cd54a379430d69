/**
 * What a caller may see, as types. Store functions that read tenant data ask for one of these two, and only
 * `http/access` may make them (spec/layering checks who imports the minting functions): a route that forgets its check
 * does not compile.
 */

declare const minted: unique symbol;
interface Minted {
  readonly [minted]: true;
}

/** Enough of a cluster's row to decide who may see it. */
export interface ClusterIdentity {
  readonly id: string;
  readonly client_id: string;
  readonly environment_id: string;
}

/** A cluster that the caller was found entitled to; carries whatever of its row was loaded for the check. */
export type ClusterInScope<C extends ClusterIdentity = ClusterIdentity> = C & Minted;

/** The scopes that a caller's grants cover for one permission; an environment's row is visible through its client too. */
export interface Scope {
  /** A global grant: every client. */
  readonly everything: boolean;
  readonly clientIds: readonly string[];
  readonly environmentIds: readonly string[];
}

/** A scope that came out of the caller's grants. */
export type ScopeFilter = Scope & Minted;

/** For `http/access` alone, after the permission check on this cluster. */
export const mintClusterInScope = <C extends ClusterIdentity>(cluster: C): ClusterInScope<C> =>
  cluster as ClusterInScope<C>;

/** For `http/access` alone, from the caller's grants. */
export const mintScopeFilter = (scope: Scope): ScopeFilter => scope as ScopeFilter;

/**
 * SQL condition that keeps rows of `table` with `client_id` and `environment_id` columns inside the scope; its three
 * parameters, from number `first` on, are `scopeParameters`.
 */
export const scopeCondition = (table: string, first: number): string =>
  `($${first}::boolean or ${table}.client_id = any ($${first + 1}::uuid[])` +
  ` or ${table}.environment_id = any ($${first + 2}::uuid[]))`;

export const scopeParameters = (scope: ScopeFilter): [boolean, readonly string[], readonly string[]] => [
  scope.everything,
  scope.clientIds,
  scope.environmentIds,
];
