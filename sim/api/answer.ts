/** What the server says to one request, before it is sent. */
export interface Answer {
  readonly status: number;
  readonly contentType: 'application/json' | 'text/plain' | 'text/plain; charset=utf-8' | null;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** JSON that is already text: lists are put together from remembered pieces. */
export function jsonText(body: string, status = 200): Answer {
  return { status, contentType: 'application/json', body };
}

export function json(value: unknown, status = 200): Answer {
  return jsonText(JSON.stringify(value), status);
}

/** Text as a container wrote it. */
export function logText(body: string): Answer {
  return { status: 200, contentType: 'text/plain', body };
}

/** The answer for a path that no handler knows, an absent API group among them: plain text and no Status. */
export const pageNotFound: Answer = {
  status: 404,
  contentType: 'text/plain; charset=utf-8',
  body: '404 page not found\n',
};

export const noContent: Answer = { status: 204, contentType: null, body: '' };
