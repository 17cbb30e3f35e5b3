import { STATUS_CODES } from 'node:http';
import { RequestError } from '../base/errors.ts';

/**
 * Returns the refusal that an error thrown by an extension stands for: that of an error with a `status` from 400 to
 * 599. The class of the error does not count, since a module may use another copy of the package. Null for all others.
 */
export function refusalOf(error: unknown): RequestError | null {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Error) || !('status' in error)) return null;
  const { status, name, message } = error;
  const details = 'details' in error && typeof error.details === 'object' ? (error.details ?? {}) : {};
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) return null;
  return new RequestError(
    status,
    name === 'Error' ? nameOf(status) : name,
    message || STATUS_CODES[status] || name,
    details,
  );
}

/** `404`: `NotFoundError`. */
function nameOf(status: number): string {
  return `${(STATUS_CODES[status] ?? 'Request').replaceAll(/[^A-Za-z]/g, '')}Error`.replace(/ErrorError$/, 'Error');
}
