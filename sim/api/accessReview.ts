import { type Answer, json } from './answer.ts';
import { badRequest, invalid } from './status.ts';
import { allows, type TokenRights } from './tokens.ts';

/** `POST selfsubjectaccessreviews`: whether the asking token may do what `spec.resourceAttributes` says. */
export function reviewAccess(rights: TokenRights, body: string): Answer {
  let given: { spec?: { resourceAttributes?: { [field: string]: unknown } } } | null;
  try {
    given = JSON.parse(body) as typeof given;
  } catch {
    return badRequest('the object provided is unrecognized (must be of type SelfSubjectAccessReview)');
  }
  const asked = given?.spec?.resourceAttributes;
  if (typeof asked !== 'object' || asked === null) {
    const message =
      'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
    const cause = { reason: 'FieldValueInvalid', message, field: 'spec' };
    return invalid('SelfSubjectAccessReview', { group: 'authorization.k8s.io' }, [cause]);
  }
  const field = (name: string): string => String(asked[name] ?? '');
  const allowed = allows(rights, {
    verb: field('verb'),
    group: field('group'),
    resource: field('resource'),
    subresource: field('subresource'),
    namespace: field('namespace'),
  });
  const apiVersion = 'authorization.k8s.io/v1';
  return json(
    {
      kind: 'SelfSubjectAccessReview',
      apiVersion,
      metadata: {},
      spec: { resourceAttributes: asked },
      status: { allowed },
    },
    201,
  );
}
