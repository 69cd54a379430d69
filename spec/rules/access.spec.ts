import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import type { Grant, Permission, Place, Role } from '../../rules/access.ts';
import {
  can,
  canEverywhere,
  hasAccessToEnvironment,
  hasAccessWithinClient,
  isEmptyScope,
  PERMISSIONS,
  ROLE_NAMES,
  ROLES,
  requireAnyPermissionInAnyScope,
  scopeFor,
  scopeWithinClient,
} from '../../rules/access.ts';

const CLIENTS = ['c1', 'c2', 'c3'];
const places: Place[] = CLIENTS.flatMap((client) =>
  ['x', 'y'].map((name) => ({ client_id: client, environment_id: `${client}-${name}` })),
);

const anyPlace = fc.constantFrom(...places);
const anyPermission: fc.Arbitrary<Permission> = fc.constantFrom(...PERMISSIONS);
const anyGrant: fc.Arbitrary<Grant> = fc
  .tuple(fc.constantFrom<Role>(...ROLE_NAMES), fc.constantFrom('global', 'client', 'environment'), anyPlace)
  .map(([role, scope, place]) => {
    if (scope === 'global' || role === 'super_admin') return { role, client_id: null, environment_id: null };
    return {
      role,
      client_id: place.client_id,
      environment_id: scope === 'client' ? null : place.environment_id,
    };
  });
const anyGrants = fc.array(anyGrant, { maxLength: 6 });

const inScope = (scope: ReturnType<typeof scopeFor>, place: Place): boolean =>
  scope.everything ||
  scope.clientIds.includes(place.client_id) ||
  scope.environmentIds.includes(place.environment_id);

describe('access rules', () => {
  it('give the four roles their permissions (AU-07, AU-08, AU-10)', () => {
    deepEqual(
      ROLE_NAMES.filter((role) => ROLES[role].has('admin:write')),
      ['super_admin'],
    );
    deepEqual(
      ROLE_NAMES.filter((role) => ROLES[role].has('assets:write')),
      ['super_admin', 'admin'],
    );
    deepEqual(
      ROLE_NAMES.filter((role) => ROLES[role].has('logs:read')),
      ['super_admin', 'admin', 'operator'],
    );
    for (const permission of ['assets:read', 'metrics:read', 'changes:read', 'alerts:read'] as const) {
      for (const role of ROLE_NAMES) ok(ROLES[role].has(permission));
    }
  });

  it('let a list show exactly the places where the permission is held (AU-03)', () => {
    fc.assert(
      fc.property(anyGrants, anyPermission, anyPlace, (grants, permission, place) => {
        equal(inScope(scopeFor(grants, permission), place), can(grants, permission, place));
      }),
    );
  });

  it('never widen an environment grant (AU-03)', () => {
    fc.assert(
      fc.property(anyGrants, anyPermission, anyPlace, anyPlace, (grants, permission, home, place) => {
        const wider = [...grants, { role: 'admin' as const, ...home }];
        if (place.environment_id === home.environment_id) return;
        equal(can(wider, permission, place), can(grants, permission, place));
        equal(hasAccessToEnvironment(wider, place), hasAccessToEnvironment(grants, place));
        equal(canEverywhere(wider, permission), canEverywhere(grants, permission));
      }),
    );
  });

  it('hold a permission somewhere whenever they hold it here, and see what they may act on (AU-01, AU-02)', () => {
    fc.assert(
      fc.property(anyGrants, anyPermission, anyPlace, (grants, permission, place) => {
        if (!can(grants, permission, place)) return;
        ok(requireAnyPermissionInAnyScope(grants, [permission]));
        ok(hasAccessToEnvironment(grants, place));
        ok(hasAccessWithinClient(grants, place.client_id));
      }),
    );
  });

  it('narrow a client path to what is held inside that client (AU-04)', () => {
    fc.assert(
      fc.property(anyGrants, anyPermission, fc.constantFrom(...CLIENTS), (grants, permission, client) => {
        const scope = scopeWithinClient(grants, permission, client);
        for (const place of places) {
          const expected = place.client_id === client && can(grants, permission, place);
          equal(inScope(scope, place), expected);
        }
        equal(isEmptyScope(scope), !places.some((place) => inScope(scope, place)));
      }),
    );
  });

  it('grow only: another grant takes nothing away', () => {
    fc.assert(
      fc.property(anyGrants, anyGrant, anyPermission, anyPlace, (grants, grant, permission, place) => {
        if (can(grants, permission, place)) ok(can([...grants, grant], permission, place));
      }),
    );
  });

  it('hold admin:write with a global super_admin alone', () => {
    fc.assert(
      fc.property(anyGrants, (grants) => {
        equal(
          canEverywhere(grants, 'admin:write'),
          grants.some((grant) => grant.role === 'super_admin'),
        );
      }),
    );
  });
});
