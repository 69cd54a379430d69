/** What one caller may reach. The only module that mints scopes: store functions for tenant data take nothing else. */

import type { Grants, Permission, Place } from '../rules/access.ts';
import {
  can,
  canEverywhere,
  hasAccessToEnvironment,
  hasAccessWithinClient,
  isEmptyScope,
  requireAnyPermissionInAnyScope,
  scopeFor,
  scopeWithinClient,
} from '../rules/access.ts';
import type { ClusterIdentity, ClusterInScope, ScopeFilter } from '../store/scope.ts';
import { mintClusterInScope, mintScopeFilter } from '../store/scope.ts';
import type { Refusal } from './refusal.ts';
import { forbidden, notFound } from './refusal.ts';

/** The checks of a route, in the order in which they are made; a null means passed. */
export interface Access {
  /** Gate: one of the permissions in some scope, else 403. */
  gate(permissions: readonly Permission[]): Refusal | null;
  /** Gate of the administration: the permission on everything. */
  gateEverywhere(permission: Permission): Refusal | null;
  /** 404 outside the caller's environments, then 403 without one of the permissions there (AU-05). */
  place(place: Place | null, permissions: readonly Permission[], noun: string): Refusal | null;
  /** The same for a cluster, which comes out entitled. */
  cluster<C extends ClusterIdentity>(
    cluster: C | null,
    permissions: readonly Permission[],
  ): ClusterInScope<C> | Refusal;
  /** Everything that the permission opens (AU-03). */
  scope(permission: Permission): ScopeFilter;
  /** What it opens inside one client: 404 without any grant there, 403 without the permission (AU-04). */
  scopeWithin(clientId: string, permission: Permission): ScopeFilter | Refusal;
}

/** The access context of a caller's grants. */
export function accessOf(grants: Grants): Access {
  const place: Access['place'] = (at, permissions, noun) => {
    if (at === null || !hasAccessToEnvironment(grants, at)) return notFound(noun);
    return permissions.some((permission) => can(grants, permission, at)) ? null : forbidden();
  };
  return {
    gate: (permissions) => (requireAnyPermissionInAnyScope(grants, permissions) ? null : forbidden()),
    gateEverywhere: (permission) => (canEverywhere(grants, permission) ? null : forbidden()),
    place,
    cluster(cluster, permissions) {
      if (cluster === null) return notFound('cluster');
      return place(cluster, permissions, 'cluster') ?? mintClusterInScope(cluster);
    },
    scope: (permission) => mintScopeFilter(scopeFor(grants, permission)),
    scopeWithin(clientId, permission) {
      if (!hasAccessWithinClient(grants, clientId)) return notFound('client');
      const scope = scopeWithinClient(grants, permission, clientId);
      return isEmptyScope(scope) ? forbidden() : mintScopeFilter(scope);
    },
  };
}
