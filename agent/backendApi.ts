/** Requests to the backend's API: one bounded POST, its answer as a value. */

const ATTEMPT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The error object of the backend (contracts.md section 5), as far as it could be read. */
export interface BackendError {
  readonly code: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Reply =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly error: BackendError }
  /** No usable answer now; a later attempt may get one. `reason` is a code or a status. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterMs: number | null };

/**
 * Posts JSON. 2xx is an answer, 429 and 5xx are `unavailable` like a broken connection, the rest is a refusal.
 * Redirects are refusals: the body holds a token that must not travel on. Never rejects.
 */
export async function postJson(
  url: string,
  body: string,
  o: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...o.headers },
      signal: AbortSignal.any([o.signal, AbortSignal.timeout(ATTEMPT_MS)]),
    });
    const answer = await readJson(response);
    if (response.ok) return { kind: 'answer', body: answer };
    if (response.status === 429 || response.status >= 500) {
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return {
        kind: 'unavailable',
        reason: `status ${response.status}`,
        retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
      };
    }
    return { kind: 'refused', status: response.status, error: readError(answer) };
  } catch (error) {
    return { kind: 'unavailable', reason: reasonOf(error), retryAfterMs: null };
  }
}

/** The parsed body; undefined when it is not JSON or too large. */
async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

function readError(body: unknown): BackendError {
  const error = (body as { error?: { code?: unknown; details?: unknown } } | null | undefined)?.error;
  const { code, details } = error ?? {};
  return {
    code: typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : null,
    details: typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {},
  };
}

/** fetch hides what broke in the cause of a TypeError. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? (name === 'TypeError' ? 'unreachable' : name);
}
