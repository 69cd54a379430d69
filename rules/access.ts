/**
 * Who may do what, where (contracts.md section 5; AU-01 to AU-10). Pure functions over a caller's grants: the routes
 * ask in a fixed order, and an environment grant never reaches beyond its environment.
 */

export const PERMISSIONS = [
  'assets:read',
  'assets:write',
  'metrics:read',
  'logs:read',
  'changes:read',
  'alerts:read',
  'admin:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLE_NAMES = ['super_admin', 'admin', 'operator', 'viewer'] as const;
export type Role = (typeof ROLE_NAMES)[number];

/** What each role permits, on the scope of its grant. `super_admin` is granted globally only. */
export const ROLES: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  super_admin: new Set(PERMISSIONS),
  admin: new Set(PERMISSIONS.filter((permission) => permission !== 'admin:write')),
  operator: new Set(['assets:read', 'metrics:read', 'logs:read', 'changes:read', 'alerts:read']),
  viewer: new Set(['assets:read', 'metrics:read', 'changes:read', 'alerts:read']),
};

/** A role on a scope: global (both null), one client (environment null), or one environment of a client. */
export interface Grant {
  readonly role: Role;
  readonly client_id: string | null;
  readonly environment_id: string | null;
}

export type Grants = readonly Grant[];

/** An environment and the client that it belongs to. */
export interface Place {
  readonly client_id: string;
  readonly environment_id: string;
}

/** What one permission opens: everything, or whole clients and single environments. */
export interface PermittedScope {
  readonly everything: boolean;
  readonly clientIds: readonly string[];
  readonly environmentIds: readonly string[];
}

const permits = (grant: Grant, permission: Permission): boolean => ROLES[grant.role].has(permission);

const isGlobal = (grant: Grant): boolean => grant.client_id === null;

function covers(grant: Grant, place: Place): boolean {
  if (isGlobal(grant)) return true;
  if (grant.client_id !== place.client_id) return false;
  return grant.environment_id === null || grant.environment_id === place.environment_id;
}

/**
 * True when one of the permissions is held in some scope: the gate of a route, before anything is loaded (AU-01).
 * It says nothing about the object asked for; the tenant check follows (AU-02).
 */
export const requireAnyPermissionInAnyScope = (grants: Grants, permissions: readonly Permission[]): boolean =>
  grants.some((grant) => permissions.some((permission) => permits(grant, permission)));

/** True when some grant, whatever its role, covers the environment: else its objects do not exist for the caller. */
export const hasAccessToEnvironment = (grants: Grants, place: Place): boolean =>
  grants.some((grant) => covers(grant, place));

/** True when the permission is held on this environment. */
export const can = (grants: Grants, permission: Permission, place: Place): boolean =>
  grants.some((grant) => permits(grant, permission) && covers(grant, place));

/** True when the permission is held on everything, as administration of the system needs. */
export const canEverywhere = (grants: Grants, permission: Permission): boolean =>
  grants.some((grant) => isGlobal(grant) && permits(grant, permission));

/** True when some grant covers the client or an environment of it: else the client does not exist for the caller. */
export const hasAccessWithinClient = (grants: Grants, clientId: string): boolean =>
  grants.some((grant) => isGlobal(grant) || grant.client_id === clientId);

/** What the permission opens, as a filter for lists; an environment grant adds its environment, never its client (AU-03). */
export function scopeFor(grants: Grants, permission: Permission): PermittedScope {
  const held = grants.filter((grant) => permits(grant, permission));
  const clientIds = new Set<string>();
  const environmentIds = new Set<string>();
  for (const grant of held) {
    if (grant.environment_id !== null) environmentIds.add(grant.environment_id);
    else if (grant.client_id !== null) clientIds.add(grant.client_id);
  }
  return {
    everything: held.some(isGlobal),
    clientIds: [...clientIds],
    environmentIds: [...environmentIds],
  };
}

/** True when the scope holds nothing of anybody. */
export const isEmptyScope = (scope: PermittedScope): boolean =>
  !scope.everything && scope.clientIds.length === 0 && scope.environmentIds.length === 0;

/**
 * The part of what a permission opens that lies in one client (AU-04): the whole client where a grant covers it, else
 * the environments granted there. Empty when there is none.
 */
export function scopeWithinClient(grants: Grants, permission: Permission, clientId: string): PermittedScope {
  const scope = scopeFor(
    grants.filter((grant) => isGlobal(grant) || grant.client_id === clientId),
    permission,
  );
  if (scope.everything || scope.clientIds.includes(clientId)) {
    return { everything: false, clientIds: [clientId], environmentIds: [] };
  }
  return scope;
}
