import { RequestError } from '../../core/errors.ts';

/** Creates a 409 error. */
export function conflict(message: string, details?: object): RequestError {
  return new RequestError(409, 'ConflictError', message, details);
}
