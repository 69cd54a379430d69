/**
 * A request to the Kubernetes API that gave no usable answer. It carries no part of the response body, whose message
 * names the agent's user, and no query, which may hold a continue token.
 */
export class KubeError extends Error {
  /** HTTP status; 0 when there was no whole answer. An absent API group is 404. */
  readonly status: number;
  /**
   * `reason` of the Kubernetes Status (`Forbidden`, `Expired`, ...); for status 0 what broke: an errno code such as
   * `ECONNREFUSED`, `timeout`, `cancelled`, `bad_body` or `too_large`. Null when the answer had none.
   */
  readonly reason: string | null;

  constructor(
    path: string,
    status: number,
    reason: string | null,
    options: ErrorOptions & { readonly method?: string | undefined } = {},
  ) {
    const what = [status === 0 ? null : status, reason].filter((part) => part !== null).join(' ');
    super(`${options.method ?? 'GET'} ${path.split('?', 1)[0]}: ${what}`, options);
    this.name = 'KubeError';
    this.status = status;
    this.reason = reason;
  }
}
