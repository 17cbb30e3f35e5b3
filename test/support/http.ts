import {
  type Agent,
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** Servers and requests of the tests, over real sockets. */

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON. */
  json(): any;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: Buffer | string;
  /** Keeps connections open between requests. */
  agent?: Agent;
}

const servers: Server[] = [];

/** Starts a server on a free port and returns the port. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Closes the servers that `listen` started. */
export function closeServers(): void {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
}

/** Sends a path unchanged, by default on a new connection, and returns the reply undecoded. */
export function askServer(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, agent }: AskOptions = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: agent ?? false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(parts);
        const json = () => JSON.parse(body.toString());
        resolve({ status: response.statusCode!, headers: response.headers, body, json });
      });
    });
    sent.on('error', reject).end(body);
  });
}
