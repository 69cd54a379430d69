/** The administration API as the demo uses it: a tenant and an install token, found or made. */

interface Named {
  readonly id: string;
  readonly slug: string;
}

/** Requests with one administrator's token; throws on an answer that is no success, naming path and status. */
export function adminApi(url: string, token: string) {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
    return ((await answer.json()) as { data: T }).data;
  };
  return {
    url,
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body: unknown) => call<T>('POST', path, body),

    /** Ids of the client and its environment, made where they are missing. */
    async tenant(client: string, environment: string): Promise<{ clientId: string; environmentId: string }> {
      const clients = await call<Named[]>('GET', '/api/v1/admin/clients');
      const found = clients.find(({ slug }) => slug === client);
      const { id: clientId } =
        found ?? (await call<Named>('POST', '/api/v1/admin/clients', { slug: client, name: client }));
      const path = '/api/v1/admin/environments';
      const environments = await call<(Named & { client_id: string })[]>('GET', path);
      const here = environments.find((e) => e.client_id === clientId && e.slug === environment);
      const { id: environmentId } =
        here ??
        (await call<Named>('POST', path, { client_id: clientId, slug: environment, name: environment }));
      return { clientId, environmentId };
    },

    /** A fresh install token for the environment. */
    async installToken(environmentId: string): Promise<string> {
      const made = await call<{ token: string }>('POST', '/api/v1/install-tokens', {
        environment_id: environmentId,
      });
      return made.token;
    },
  };
}
