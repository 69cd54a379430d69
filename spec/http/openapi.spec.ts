import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { routes } from '../../http/routes/index.ts';
import type { BackendUnderTest } from './backendUnderTest.ts';
import { startBackend } from './backendUnderTest.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security: readonly object[];
}

describe('the OpenAPI document', () => {
  let backend: BackendUnderTest;
  let operations: Map<string, Operation>;
  let text: string;

  before(async () => {
    backend = await startBackend();
    const answer = await backend.ask('/api/openapi.json');
    equal(answer.status, 200);
    text = answer.text;
    const { paths } = answer.json as unknown as { paths: Record<string, Record<string, Operation>> };
    operations = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]): [string, Operation] => [
          `${method.toUpperCase()} ${path}`,
          operation,
        ]),
      ),
    );
  });
  after(() => backend.stop());

  it('has every route once, under a name of its own', () => {
    const expected = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    deepEqual([...operations.keys()].sort(), expected.sort());
    equal(new Set([...operations.values()].map(({ operationId }) => operationId)).size, routes.length);
  });

  it('is OpenAPI 3.1 whose references all lead somewhere', () => {
    const document = JSON.parse(text) as { openapi: string; components: { schemas: object } };
    match(document.openapi, /^3\.1\./);
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    deepEqual([...new Set(references)], Object.keys(document.components.schemas));
  });

  it('names every parameter with its schema, and those of the path as required', () => {
    for (const [name, { parameters }] of operations) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      deepEqual(
        parameters.filter((one) => one.in === 'path').map((one) => one.name),
        inPath,
        name,
      );
      for (const parameter of parameters) {
        ok(Object.keys(parameter.schema).length > 0, `${name} ${parameter.name}`);
        equal(parameter.required || parameter.in === 'query', true);
      }
    }
    const pods = operations.get('GET /api/v1/clusters/{clusterID}/pods');
    deepEqual(
      pods?.parameters.map((one) => one.name),
      ['clusterID', 'page', 'per_page', 'cursor', 'namespace', 'phase', 'labels', 'q', 'sort'],
    );
  });

  it('says of every closed route that it answers 401, 403, 429, and of every open one that it needs nobody', () => {
    for (const [name, { responses, security }] of operations) {
      if (security.length === 0) continue;
      for (const status of ['401', '403', '429', '500', '503']) ok(status in responses, `${name} ${status}`);
    }
    deepEqual(operations.get('GET /healthz')?.security, []);
  });

  it('is not sent again to whoever has it', async () => {
    const { headers } = await backend.ask('/api/openapi.json');
    const again = await fetch(`${backend.url}/api/openapi.json`, {
      headers: { 'If-None-Match': headers.get('etag') ?? '' },
    });
    equal(again.status, 304);
  });
});
