import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import type { Content } from '../../src/index.ts';
import { type RunningServer, start } from './server.ts';

/** A server in this process in place of the Strapi behind Lectern. */

export interface TestUpstream {
  server: Server;
  port: number;
  address: string;
  /** How many connections were opened to it. */
  connections(): number;
}

const running: Server[] = [];

/** Starts an upstream server. By default it echoes the request as JSON. */
export async function startUpstream(listener: RequestListener = echo): Promise<TestUpstream> {
  const server = createServer(listener);
  running.push(server);
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, address: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Starts a server with things, in front of an upstream server with this listener. */
export async function startInFront(
  listener?: RequestListener,
  settings: object = {},
  content?: Content,
): Promise<RunningServer & { upstream: TestUpstream }> {
  const upstream = await startUpstream(listener);
  return { ...(await start({ upstream: upstream.address, ...settings }, content)), upstream };
}

export function closeUpstreamsAfterEach(): void {
  afterEach(() => {
    for (const server of running.splice(0)) server.close().closeAllConnections();
  });
}

const echo: RequestListener = async (received, response) => {
  const { method, url, headers } = received;
  // a client may disconnect before the end of its body
  const body = await text(received).catch(() => null);
  if (body === null) return;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('X-Upstream', '1');
  response.end(JSON.stringify({ method, url, headers, body }));
};

/** Begins a request whose body is written by the caller. */
export function begin(port: number, path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: false, ...options });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.once('error', reject);
  });
  answer.catch(() => {});
  return { sent, answer };
}

/** Opens a connection and sends bytes. `until` resolves with everything received once it contains a text. */
export async function openSocket(port: number, bytes: string) {
  const socket: Socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (data) => (received += data));
  socket.write(bytes);
  const until = async (part: string): Promise<string> => {
    while (!received.includes(part)) await once(socket, 'data');
    return received;
  };
  return { socket, until, received: () => received };
}
