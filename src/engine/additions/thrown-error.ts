import { STATUS_CODES } from 'node:http';
import { RequestError } from '../../core/errors.ts';

/**
 * Converts an error by which an extension rejects a request: one with a `status` from 400 to 599. Its class does not
 * matter, because the module may use another copy of the package. Returns null for any other value.
 */
export function toRequestError(error: unknown): RequestError | null {
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

/** Returns the error name of a status, such as `NotFoundError` for 404. */
function nameOf(status: number): string {
  return `${(STATUS_CODES[status] ?? 'Request').replaceAll(/[^A-Za-z]/g, '')}Error`.replace(/ErrorError$/, 'Error');
}
