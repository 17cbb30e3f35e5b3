import { ForbiddenError, type MissingPermission, RequestError, UnknownRouteError } from '../../core/errors.ts';
import { noStore } from './cache-control.ts';

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
