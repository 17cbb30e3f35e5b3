/** What an error reply says of a query. */
export interface ErrorDetails {
  /** The parameter, such as `filters`. */
  readonly param?: string;
  /** The place in it, such as `author.name`. */
  readonly path?: unknown;
  readonly value?: unknown;
  readonly [name: string]: unknown;
}

/** A reply that is no content: `status` is that of the reply, and `details` name the place and the value. */
export class ContentError extends Error {
  readonly status: number;
  readonly url: string;
  readonly details: ErrorDetails;

  /** `name` is the kind of error that the reply gives, such as `ValidationError`. */
  constructor(url: string, status: number, name: string, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = name;
    this.status = status;
    this.url = url;
    this.details = details;
  }
}

/** Returns the error of a reply. Its body may be of a proxy, and no JSON. */
export function errorOf(url: string, status: number, text: string): ContentError {
  const error = readError(text);
  if (!error) return new ContentError(url, status, 'ResponseError', `${url} is answered with ${status}, and no JSON`);
  const { name = 'ResponseError', message = 'no message', details } = error;
  const { param, path, value } = details ?? {};
  const place = [param, path].filter((part) => typeof part === 'string' && part !== '').join('.');
  const at = place === '' ? '' : ` (${place}${value === undefined ? '' : `: ${JSON.stringify(value)}`})`;
  return new ContentError(url, status, name, `${status} ${message}${at}`, details);
}

function readError(text: string): { name?: string; message?: string; details?: ErrorDetails } | null {
  try {
    const error = JSON.parse(text)?.error;
    return typeof error === 'object' ? error : null;
  } catch {
    return null;
  }
}
