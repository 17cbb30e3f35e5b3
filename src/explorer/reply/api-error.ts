/** The error of a reply. */
import { isObject } from './summaries.ts';

export interface ApiError {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  /** The parameter and the path in it, such as `filters` and `author.name`. */
  readonly place: readonly string[];
  /** The value that was wrong, as JSON. */
  readonly value: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Reads the error of a reply, or null if it is none. A proxy may answer with another form. */
export function errorOf(status: number, reply: unknown): ApiError | null {
  if (status < 400) return null;
  const error = isObject(reply) && isObject(reply.error) ? reply.error : {};
  const details = isObject(error.details) ? error.details : {};
  return {
    status,
    name: typeof error.name === 'string' ? error.name : 'Error',
    message: typeof error.message === 'string' ? error.message : 'The reply is no error of the API.',
    place: [details.param, details.path].filter((part): part is string => typeof part === 'string' && part !== ''),
    value: details.value === undefined ? null : JSON.stringify(details.value),
    details,
  };
}
