/** Where a list goes on: the revision that it shows, and the first key that is still to come. */
export interface ContinueToken {
  /** -1 means: whatever is stored now, which is how an expired list may go on inconsistently. */
  readonly revision: number;
  readonly start: string;
}

const version = 'meta.k8s.io/v1';

/** The token as the API server writes it: unpadded base64url of JSON. */
export function writeToken({ revision, start }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString('base64url');
}

/** The token of a request, or what is wrong with it. */
export function readToken(text: string): ContinueToken | { readonly fault: string } {
  let token: { v?: unknown; rv?: unknown; start?: unknown } | null;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString()) as typeof token;
  } catch {
    return { fault: 'continue key is not valid: it is no JSON' };
  }
  if (typeof token !== 'object' || token === null || token.v !== version) {
    return { fault: 'continue key is not valid: server does not recognize this encoded version' };
  }
  if (typeof token.rv !== 'number' || token.rv === 0) {
    return {
      fault: `continue key is not valid: incorrect encoded start resourceVersion (version ${version})`,
    };
  }
  if (typeof token.start !== 'string' || token.start === '') {
    return { fault: `continue key is not valid: encoded start key is empty (version ${version})` };
  }
  return { revision: token.rv, start: token.start };
}
