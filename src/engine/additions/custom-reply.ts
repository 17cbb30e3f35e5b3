/** Runs the handler of a custom route and turns its result into a reply. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { ParamData } from 'path-to-regexp';
import { ExtensionError, ForbiddenError, NotFoundError, RequestError } from '../../core/errors.ts';
import type { PermissionSet } from '../../model/access/permissions.ts';
import { forbidsSharedCaching } from '../../model/settings/replies.ts';
import { cacheControl, jsonHeaders, noStore, type Reply } from '../../query/reply/reply.ts';
import { CustomReply, type CustomRoute, type HandlerContext } from './extension.ts';
import { describeValue, isPromise } from './values.ts';

/** Time limit of a handler. */
const maxMilliseconds = 30_000;

/** Headers that the server sets itself. */
const serverHeaders = new Set(
  'connection content-encoding content-length date etag keep-alive trailer transfer-encoding upgrade vary'.split(' '),
);

/** A custom route with the parameters of a matching path. */
export interface CustomMatch {
  readonly route: CustomRoute;
  readonly params: ParamData;
}

/** The handler's context without the parts that depend on the route. */
type HandlerInput = Omit<HandlerContext, 'params' | 'reply'>;

/**
 * Returns the reply of a custom route. Rejects with a RequestError if the handler rejects the request, and with an
 * ExtensionError that names file and route if it fails.
 */
export async function answerCustom(
  file: string,
  { route, params }: CustomMatch,
  permissions: PermissionSet,
  input: HandlerInput,
): Promise<Reply> {
  if (route.action !== undefined && !permissions.allows(route.action)) throw new ForbiddenError();
  const location = `${file}: the handler of ${route.path}`;
  const reply = (parts: ConstructorParameters<typeof CustomReply>[0]) => new CustomReply(parts);
  let result: unknown;
  try {
    result = await withTimeLimit(route.handler({ ...input, params, reply }), location);
  } catch (error) {
    if (error instanceof ExtensionError) throw error;
    throw toRequestError(error) ?? new ExtensionError(`${location} threw ${describeValue(error)}`, error);
  }
  if (result === undefined) throw new NotFoundError();
  const custom =
    result instanceof CustomReply ? result : new CustomReply({ body: toJson(result, location), headers: jsonHeaders });
  return toReply(custom, input.role, route.cacheControl, location);
}

/** Resolves to the handler's result. Rejects after the time limit. */
async function withTimeLimit(result: unknown, location: string): Promise<unknown> {
  if (!isPromise(result)) return result;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((_, reject) => {
    const expire = () => reject(new ExtensionError(`${location} took more than ${maxMilliseconds} ms`));
    timer = setTimeout(expire, maxMilliseconds);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Validates a custom reply and adds the headers that it lacks. */
function toReply(
  { status, headers, body }: CustomReply,
  role: string,
  routeCacheControl: string | undefined,
  location: string,
): Reply {
  if (!Number.isInteger(status) || status < 200 || status > 599 || status === 304) {
    throw new ExtensionError(
      `${location} replied with the status ${describeValue(status)}; it must be from 200 to 599, except 304`,
    );
  }
  const checked = checkHeaders(headers, location);
  const { bytes, type } = encodeBody(body, location);
  if (!checked.has('content-type') && type !== null) checked.set('content-type', ['Content-Type', type]);
  const requested = checked.get('cache-control')?.[1] ?? (status === 200 ? routeCacheControl : noStore);
  const isAllowed = requested !== undefined && (role === 'public' || forbidsSharedCaching(requested));
  checked.set('cache-control', ['Cache-Control', isAllowed ? requested : cacheControl([], role, '')]);
  return { status, headers: Object.fromEntries(checked.values()), body: bytes };
}

/** Returns names and values of valid headers, by name in lower case. */
function checkHeaders(headers: Readonly<Record<string, string>>, location: string): Map<string, [string, string]> {
  const checked = new Map<string, [string, string]>();
  for (const [name, value] of Object.entries(headers)) {
    if (serverHeaders.has(name.toLowerCase())) {
      throw new ExtensionError(`${location} replied with the header ${name}, which the server sets itself`);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw new ExtensionError(`${location} replied with an invalid header: ${(error as Error).message}`);
    }
    checked.set(name.toLowerCase(), [name, String(value)]);
  }
  return checked;
}

/** Returns the bytes of a body with their default content type. */
function encodeBody(body: unknown, location: string): { bytes: Buffer; type: string | null } {
  if (body === undefined) return { bytes: Buffer.alloc(0), type: null };
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: 'text/plain; charset=utf-8' };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), type: 'application/octet-stream' };
  return { bytes: Buffer.from(toJson(body, location)), type: jsonHeaders['Content-Type'] };
}

function toJson(body: unknown, location: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw new ExtensionError(`${location} returned a value that is not JSON: ${(error as Error).message}`, error);
  }
  if (text === undefined) throw new ExtensionError(`${location} returned ${describeValue(body)}, which is not JSON`);
  return text;
}

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
