import { createHmac } from 'node:crypto';

export const secret = 'at least 16 characters';

/** A request of the webhook. Without a given signature, it has the right one. */
export function eventRequest(event: object | string, signature?: string | null): Request {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = new Headers(signature === null ? {} : { 'X-Lectern-Signature': signature ?? right });
  return new Request('http://127.0.0.1/stale', { method: 'POST', headers, body });
}
