import { ForbiddenError, type MissingPermission, RequestError, UnknownRouteError } from '../../core/errors.ts';

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A reply, ready to be sent. The body belongs to the engine and must not be changed. */
export interface Reply {
  readonly status: number;
  /** Replies with equal headers share one object, so that sending prepares them once. */
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
  /** The route as a template, such as `/api/articles/:documentId`; undefined if there is none. */
  readonly route?: string;
  /**
   * Of a 404 for a path without a route: finds the path below the prefix of the nearest route that the caller may read,
   * or null if none is near.
   */
  readonly nearest?: () => string | null;
  /** The permission that the caller of a 403 lacks, for the log. */
  readonly missing?: MissingPermission;
}

/** Errors are never cached: the next snapshot may answer. */
export const noStore = 'no-store';

/** The headers of every JSON body. */
export const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' };

const errorHeaders = { ...jsonHeaders, 'Cache-Control': noStore };

/** Returns the reply to a rejected request. Rethrows an error that is not a RequestError. */
export function errorReply(error: unknown, route?: string): Reply {
  if (!(error instanceof RequestError)) throw error;
  const body = Buffer.from(JSON.stringify(error.toBody()));
  const reply: Reply = { status: error.status, headers: errorHeaders, body, route };
  if (error instanceof UnknownRouteError) return { ...reply, nearest: error.nearest };
  return error instanceof ForbiddenError ? { ...reply, missing: error.missing } : reply;
}

/** A rule for the header Cache-Control. `type` is a uid; without it the rule applies to every content type. */
interface CacheControlRule {
  readonly role: string;
  readonly type?: string;
  readonly value: string;
}

// Caches revalidate at each use, so that none serves older content than the server. Each use costs a 304.
// Sites that want fewer requests set a rule.
const publicDefault = 'public, max-age=0, must-revalidate';
const privateDefault = 'private, max-age=0, must-revalidate';

/** Returns the header of a reply about a content type to a role. The first rule that matches wins. */
export function cacheControl(rules: readonly CacheControlRule[], role: string, type: string): string {
  const rule = rules.find((each) => each.role === role && (each.type === undefined || each.type === type));
  return rule?.value ?? (role === 'public' ? publicDefault : privateDefault);
}

/** Maximum bytes of a list and of a plan in a header: proxies reject replies with some KiB of headers. */
const maximumListBytes = 1024;
const maximumPlanBytes = 4096;

/**
 * Returns texts as the value of a header, URI-encoded and separated by a comma and a blank. A list of more than 1 KiB
 * is cut and ends with the number of texts that are missing, such as `+12 more`.
 */
export function headerList(texts: readonly string[]): string {
  return cut(texts, ', ', maximumListBytes);
}

/** Returns the lines of a plan as the value of a header, cut in the same way at 4 KiB. */
export function headerPlan(plan: string): string {
  return cut(plan.split('\n'), '\n', maximumPlanBytes);
}

function cut(texts: readonly string[], separator: string, maximumBytes: number): string {
  const between = encodeURI(separator);
  const more = (count: number) => encodeURI(`+${count} more`);
  let value = '';
  for (const [index, text] of texts.entries()) {
    const start = value && value + between;
    const longer = start + encodeURI(text);
    const rest = texts.length - index - 1;
    const room = maximumBytes - (rest > 0 ? between.length + more(rest).length : 0);
    if (longer.length > room) return start + more(rest + 1);
    value = longer;
  }
  return value;
}
