import { ForbiddenError, type MissingPermission, type RequestError } from '../base/errors.ts';
import { noStore } from './cache-control.ts';

export type ReplyHeaders = Readonly<Record<string, string>>;

/** A reply, ready to be sent. The body belongs to the engine and must not be changed. */
export interface Reply {
  readonly status: number;
  /** The same object for the same headers saves work where the reply is sent. */
  readonly headers: ReplyHeaders;
  readonly body: Buffer;
  /** The route that answered, as a template such as `/api/articles/:documentId`; none did without it. */
  readonly route?: string;
  /** Of a 403: the permission that was missing, for the log. */
  readonly missing?: MissingPermission;
}

/** What every reply with a body says of it. */
export const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8' };

const errorHeaders = { ...jsonHeaders, 'Cache-Control': noStore };

/** The reply to a refused request. */
export function errorReply(error: RequestError, route?: string): Reply {
  const body = Buffer.from(JSON.stringify(error.toBody()));
  const reply: Reply = { status: error.status, headers: errorHeaders, body, route };
  return error instanceof ForbiddenError ? { ...reply, missing: error.missing } : reply;
}
