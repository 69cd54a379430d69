/** One write to a store that speaks HTTP, with an answer that says whether another attempt is worth it. */

/** Where a store is, apart from the login that its URL may hold: fetch takes none in a URL, and logs must not show it. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a write ended. `refused` comes back the same at every attempt; `away` is worth another one. */
export type Posted =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'away'; readonly cause: string };

/** Reads a store's URL (http or https); a login in it becomes a header. */
export function endpointOf(text: string): Endpoint {
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url: url.href.replace(/\/+$/, ''),
    headers: login === ':' ? {} : { Authorization: `Basic ${Buffer.from(login).toString('base64')}` },
  };
}

/** Busy, overloaded or out of time: the same request may pass later. */
const LATER = new Set([408, 425, 429]);

/** Posts a body that was compressed with gzip. Never throws: a broken connection and an aborted `signal` are `away`. */
export async function post(
  endpoint: Endpoint,
  path: string,
  body: Uint8Array<ArrayBuffer>,
  o: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Posted> {
  try {
    const response = await fetch(endpoint.url + path, {
      method: 'POST',
      body,
      headers: { ...endpoint.headers, ...o.headers, 'Content-Encoding': 'gzip' },
      // A redirect would carry a tenant's lines and our login to where nobody configured them to go.
      redirect: 'manual',
      signal: o.signal,
    });
    await response.body?.cancel();
    if (response.ok) return { kind: 'taken' };
    const { status } = response;
    return status >= 500 || LATER.has(status)
      ? { kind: 'away', cause: `HTTP ${status}` }
      : { kind: 'refused', status };
  } catch (error) {
    return { kind: 'away', cause: causeOf(error) };
  }
}

/** The innermost name of what went wrong, such as ECONNREFUSED or TimeoutError: never a URL. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code } = error as NodeJS.ErrnoException;
  if (error.cause instanceof Error) return causeOf(error.cause);
  return typeof code === 'string' ? code : error.name;
}
