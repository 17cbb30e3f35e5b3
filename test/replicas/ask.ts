import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly version: string | undefined;
  readonly etag: string | undefined;
  readonly body: Buffer;
}

interface Sent {
  readonly agent?: Agent;
  readonly body?: string;
  readonly token?: string;
  /** A version that the answer has to show, as in `X-Lectern-At-Least`. */
  readonly atLeast?: string;
  /** Milliseconds for the answer. */
  readonly timeout?: number;
}

/** Asks a port of this machine. Rejects if there is no whole answer. */
export function ask(
  port: number,
  path: string,
  { agent, body, token, atLeast, timeout = 10_000 }: Sent = {},
): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(atLeast && { 'x-lectern-at-least': atLeast }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers, agent: agent ?? false, timeout },
      (reply) => {
        const pieces: Buffer[] = [];
        reply.on('data', (piece) => pieces.push(piece));
        reply.on('error', reject);
        reply.on('close', () => {
          if (!reply.complete) return reject(new Error('the answer ended early'));
          const { 'x-lectern-version': version, etag } = reply.headers;
          const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join() : value);
          resolve({ status: reply.statusCode!, version: one(version), etag, body: Buffer.concat(pieces) });
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeout} ms`)));
    sent.on('error', reject).end(body);
  });
}

/** Keeps one connection open. */
export function keepAlive(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}
