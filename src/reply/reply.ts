import type { RequestError } from '../errors.ts';

/** An answer, ready to be sent. The body belongs to the engine and is not to be changed. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A reply of JSON. */
export function jsonReply(status: number, body: Buffer, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers }, body };
}

/** The reply to a refused request. */
export function errorReply(error: RequestError): Reply {
  return jsonReply(error.status, Buffer.from(JSON.stringify(error.toBody())));
}
