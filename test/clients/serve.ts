import { type StrapiClient, strapi } from '@strapi/client';
import { afterAll, beforeAll } from 'vitest';
import { createListener } from '../../src/http/app.ts';
import { openGazette } from '../conformance/gazette.ts';
import { closeServers, listen } from '../support/http.ts';

/** Serves the gazette over HTTP during the tests of a file. Returns a function that creates a client with a token. */
export function serveGazette(): (auth?: string) => StrapiClient {
  let port: number;

  beforeAll(async () => {
    port = await listen(createListener(await openGazette()));
  });

  afterAll(closeServers);

  return (auth) => strapi({ baseURL: `http://127.0.0.1:${port}/api`, auth });
}
