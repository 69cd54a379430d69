/** The OpenAPI 3.1 document, made of what the routes promise. */

import type { Schema } from '../wire/kinds/define.ts';
import type { Param } from './params.ts';
import type { Route } from './route.ts';
import { nullable, object, text, uuid } from './schemas.ts';

const errorSchema: Schema = object({
  error: object({
    code: text,
    message: text,
    details: nullable({ type: 'object' }),
  }),
});

const REASONS: Readonly<Record<number, string>> = {
  303: 'A browser that came with a form goes on to another page.',
  304: 'The caller has this answer already (If-None-Match).',
  400: 'A parameter or the body cannot be read; details names it.',
  401: 'No valid token or session.',
  403: 'The permission is missing.',
  404: 'Unknown, or outside of what the caller may see: which of the two is not said.',
  409: 'It contradicts what is stored; the code says how.',
  410: 'It was deleted.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests; Retry-After says when to come back.',
  500: 'A fault of the backend; its log has the request id.',
  502: 'What stands behind the backend answered with an error, or nobody is there.',
  503: 'The backend, or a part of it, cannot answer now.',
  504: 'What stands behind the backend did not answer in time.',
};

/** Statuses other than success that a route may answer with (X-33 gives their order). */
export function refusalsOf(route: Route): number[] {
  const statuses = new Set<number>([500, 503, ...route.refusals]);
  if (route.kind !== 'open') for (const status of [401, 403, 429]) statuses.add(status);
  if (route.path.includes(':') && route.kind !== 'open') statuses.add(404);
  if (Object.keys(route.query).length > 0) statuses.add(400);
  if (route.bodySchema !== null) for (const status of [400, 413, 415]) statuses.add(status);
  // An object that the body names may be out of sight as well.
  if (route.bodySchema !== null && route.kind === 'scoped') statuses.add(404);
  if (route.method === 'GET' && route.kind !== 'open') statuses.add(304);
  return [...statuses].sort((a, b) => a - b);
}

const PARAMETER = /:(\w+)/g;

const parametersOf = (route: Route): object[] => [
  ...[...route.path.matchAll(PARAMETER)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: uuid,
  })),
  ...Object.entries<Param<unknown>>(route.query).map(([name, { schema, description, required }]) => ({
    name,
    in: 'query',
    required: required ?? false,
    description,
    schema,
  })),
];

const json = (schema: Schema): object => ({ 'application/json': { schema } });

function responsesOf(route: Route): Record<string, object> {
  const success = route.answerSchema === null ? {} : { content: json(route.answerSchema) };
  const refusals = refusalsOf(route).map((status): [string, object] => [
    String(status),
    {
      description: REASONS[status] ?? 'Refused.',
      ...(status < 400 ? {} : { content: json({ $ref: '#/components/schemas/Error' }) }),
    },
  ]);
  return {
    [route.status]: { description: 'As asked for.', ...success },
    ...Object.fromEntries(refusals),
  };
}

/** `GET /api/v1/clusters/:clusterID/pods` is `getClustersPods`: path words without versions and parameters. */
const operationId = ({ method, path }: Route): string => {
  const words = path
    .replace(/^\/api(\/v1)?/, '')
    .split(/[/.-]/)
    .filter((word) => word !== '' && !word.startsWith(':'));
  const single = method === 'GET' && /:\w+$/.test(path) ? 'One' : '';
  const of = [...path.matchAll(PARAMETER)].map(([, name = '']) => name[0]?.toUpperCase() + name.slice(1));
  const camel = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return `${method.toLowerCase()}${single}${camel}${of.length > 0 ? `By${of.join('')}` : ''}`;
};

/** The first word behind the version, or what a path outside of the API is for. */
const tagOf = ({ path }: Route): string => /^\/api\/v1\/([\w-]+)/.exec(path)?.[1] ?? 'operations';

function operationOf(route: Route): object {
  const permissions = route.permissions.join(' or ');
  const description =
    route.kind === 'open'
      ? `Open to everybody: ${route.reason}.`
      : `Needs ${permissions}${route.kind === 'system' ? ' on everything' : ''}.`;
  return {
    operationId: operationId(route),
    summary: route.summary,
    description,
    tags: [tagOf(route)],
    security: route.kind === 'open' ? [] : [{ token: [] }, { session: [] }],
    parameters: parametersOf(route),
    ...(route.bodySchema === null
      ? {}
      : { requestBody: { required: true, content: json(route.bodySchema) } }),
    responses: responsesOf(route),
  };
}

/** The document over these routes; `version` is the backend's. */
export function openApiOf(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replace(PARAMETER, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Proxima Inventory',
      version,
      description:
        'The inventory of Kubernetes clusters. Lists below a cluster say in meta.as_of how old and in meta.coverage ' +
        'how whole they are. A caller sees what its grants cover; everything else answers 404.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of a caller.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'proxima_session',
          description: 'A browser that signed in at /login.',
        },
      },
    },
  };
}
