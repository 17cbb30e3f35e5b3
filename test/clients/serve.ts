import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StrapiClient, strapi } from '@strapi/client';
import { afterAll, beforeAll } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { openGazette } from '../conformance/gazette.ts';

/** Serves the gazette over HTTP while the tests of a file run; makes official clients of it, each with its token. */
export function serveGazette(): (auth?: string) => StrapiClient {
  let server: Server;

  beforeAll(async () => {
    server = createServer(createApp(await openGazette()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    server.close().closeAllConnections();
  });

  return (auth) => {
    const { port } = server.address() as AddressInfo;
    return strapi({ baseURL: `http://127.0.0.1:${port}/api`, auth });
  };
}
