/** A server that stores what is put, in memory. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll } from 'vitest';

export interface ImageServer {
  readonly address: string;
  readonly files: Map<string, Buffer>;
  /** Method and path of each request, in order. */
  readonly requests: string[];
  readonly headers: IncomingMessage['headers'][];
}

/** Answers a request in place of the server. Returns false to leave it to the server. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean | undefined | Promise<boolean>;

interface ImageServerOptions {
  /** Before a body is read. */
  readonly answer?: Answer;
  /** Returns the code of an error, for a reply in XML with the status 403. */
  readonly check?: (request: IncomingMessage, body: Buffer) => string | null;
}

/** Starts a server that ends after the tests of the file. */
export async function startImageServer({ answer, check }: ImageServerOptions = {}): Promise<ImageServer> {
  const files = new Map<string, Buffer>();
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const listener: RequestListener = async (request, response) => {
    const { method, url } = request as { method: string; url: string };
    requests.push(`${method} ${url}`);
    headers.push(request.headers);
    if ((await answer?.(request, response)) === true) return;
    // a client may leave
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const code = check?.(request, body) ?? null;
    if (code !== null) {
      const secrets = `<StringToSign>${request.headers.authorization}</StringToSign>`;
      response.writeHead(403, { 'Content-Type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message>${secrets}</Error>`);
      return;
    }
    if (method === 'PUT') {
      files.set(url, body);
      response.writeHead(200).end();
      return;
    }
    const file = files.get(url);
    if (!file) response.writeHead(404).end('no such file');
    else response.writeHead(200, { 'Content-Length': file.length }).end(file);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, files, requests, headers };
}
