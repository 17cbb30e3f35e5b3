import type { RequestError } from '../errors.ts';
import { never } from './cache-control.ts';

/** An answer, ready to be sent. The body belongs to the engine and is not to be changed. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The route that answered, as a template such as `/api/articles/:documentId`; none did without it. */
  readonly route?: string;
}

/** A reply of JSON. */
export function jsonReply(status: number, body: Buffer, headers: Record<string, string> = {}, route?: string): Reply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body, route };
}

/** The reply to a refused request. */
export function errorReply(error: RequestError, route?: string): Reply {
  const body = Buffer.from(JSON.stringify(error.toBody()));
  return jsonReply(error.status, body, { 'Cache-Control': never }, route);
}
