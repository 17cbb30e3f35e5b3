/** Runs the handler of a custom route, and makes a reply of what it returns. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { PermissionSet } from '../access/permissions.ts';
import { ExtensionError, ForbiddenError, NotFoundError } from '../base/errors.ts';
import { forbidsSharedCaching } from '../config/cache-directives.ts';
import { cacheControl, noStore } from '../reply/cache-control.ts';
import { jsonHeaders, type Reply } from '../reply/reply.ts';
import type { CustomMatch } from './custom-routes.ts';
import { CustomReply, type HandlerContext } from './extension.ts';
import { refusalOf } from './refusal.ts';
import { describeValue, isPromise } from './values.ts';

/** For which a handler may take. */
const maxMilliseconds = 30_000;

/** Headers that the server works out itself. */
const ownHeaders = new Set(
  'connection content-encoding content-length date etag keep-alive trailer transfer-encoding upgrade vary'.split(' '),
);

/** What a handler gets, but for what comes from the path. */
export type HandlerInput = Omit<HandlerContext, 'params' | 'reply'>;

/**
 * The reply of a custom route. Rejects with a RequestError where the handler refuses the request, and with an
 * ExtensionError that names file and route where it fails.
 */
export async function answerCustom(
  file: string,
  { route, params }: CustomMatch,
  permissions: PermissionSet,
  input: HandlerInput,
): Promise<Reply> {
  if (route.action !== undefined && !permissions.allows(route.action)) throw new ForbiddenError();
  const place = `${file}: the handler of ${route.path}`;
  const reply = (parts: ConstructorParameters<typeof CustomReply>[0]) => new CustomReply(parts);
  let result: unknown;
  try {
    result = await limited(route.handler({ ...input, params, reply }), place);
  } catch (error) {
    if (error instanceof ExtensionError) throw error;
    throw refusalOf(error) ?? new ExtensionError(`${place} threw ${describeValue(error)}`, error);
  }
  if (result === undefined) throw new NotFoundError();
  const made =
    result instanceof CustomReply ? result : new CustomReply({ body: jsonOf(result, place), headers: jsonHeaders });
  return assemble(made, input.role, route.cacheControl, place);
}

/** Resolves as the result does. Rejects once the time is over. */
async function limited(result: unknown, place: string): Promise<unknown> {
  if (!isPromise(result)) return result;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((_, reject) => {
    const late = () => reject(new ExtensionError(`${place} took more than ${maxMilliseconds} ms`));
    timer = setTimeout(late, maxMilliseconds);
  });
  try {
    return await Promise.race([result, over]);
  } finally {
    clearTimeout(timer);
  }
}

function assemble(
  { status, headers, body }: CustomReply,
  role: string,
  routeCacheControl: string | undefined,
  place: string,
): Reply {
  if (!Number.isInteger(status) || status < 200 || status > 599 || status === 304) {
    throw new ExtensionError(`${place} replied with the status ${describeValue(status)}; it must be from 200 to 599`);
  }
  const given = checkedHeaders(headers, place);
  const { bytes, type } = bodyOf(body, place);
  if (!given.has('content-type') && type !== null) given.set('content-type', ['Content-Type', type]);
  const wanted = given.get('cache-control')?.[1] ?? (status === 200 ? routeCacheControl : noStore);
  const isAllowed = wanted !== undefined && (role === 'public' || forbidsSharedCaching(wanted));
  given.set('cache-control', ['Cache-Control', isAllowed ? wanted : cacheControl([], role, '')]);
  return { status, headers: Object.fromEntries(given.values()), body: bytes };
}

/** Names and values by name in lower case. */
function checkedHeaders(headers: Readonly<Record<string, string>>, place: string): Map<string, [string, string]> {
  const checked = new Map<string, [string, string]>();
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.has(name.toLowerCase())) {
      throw new ExtensionError(`${place} replied with the header ${name}, which the server sets itself`);
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw new ExtensionError(`${place} replied with a header that cannot be sent: ${(error as Error).message}`);
    }
    checked.set(name.toLowerCase(), [name, String(value)]);
  }
  return checked;
}

function bodyOf(body: unknown, place: string): { bytes: Buffer; type: string | null } {
  if (body === undefined) return { bytes: Buffer.alloc(0), type: null };
  if (typeof body === 'string') return { bytes: Buffer.from(body), type: 'text/plain; charset=utf-8' };
  if (body instanceof Uint8Array) return { bytes: Buffer.from(body), type: 'application/octet-stream' };
  return { bytes: Buffer.from(jsonOf(body, place)), type: jsonHeaders['Content-Type'] };
}

function jsonOf(body: unknown, place: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (error) {
    throw new ExtensionError(`${place} returned what is not JSON: ${(error as Error).message}`, error);
  }
  if (text === undefined) throw new ExtensionError(`${place} returned ${describeValue(body)}, which is not JSON`);
  return text;
}
