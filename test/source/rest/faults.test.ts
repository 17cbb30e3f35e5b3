import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pullContent } from '../../../src/follow/rest/pull-content.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import { RestInput } from '../../../src/follow/rest/strapi-input.ts';
import type { Content, OpenOptions } from '../../../src/index.ts';
import { gazetteExport, gazetteOptions } from '../../conformance/gazette.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { sha256 } from '../../support/guide.ts';
import { askServer, closeServers, listen } from '../../support/http.ts';
import { openShared } from '../../support/open-shared.ts';
import { start, stopServers } from '../../support/server.ts';
import { pullUrl } from './pulling.ts';

/** A Strapi that fails in between. */

const options: OpenOptions = {
  ...gazetteOptions,
  tokens: [{ name: 'all', type: 'full-access', sha256: sha256('all') }],
};
let content: Content;
let port: number;
let expected: string;
beforeAll(async () => {
  content = await openShared(gazetteExport, options);
  ({ port } = await start({}, content));
  expected = textOf((await pullUrl({ url: `http://127.0.0.1:${port}`, token: 'all' })).folder);
});
afterAll(stopServers);
afterEach(closeServers);

/** Returns what a pull wrote, without the time at which it did. */
function textOf(folder: string): string {
  return ['schemas', 'entities', 'links', 'configuration']
    .map((stage) => readFileSync(join(folder, stage, `${stage}_00001.jsonl`), 'utf8'))
    .join('');
}

type Fault = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

/** Starts a server that forwards requests, unless `fault` answers them. Returns its address. */
async function behind(fault: Fault): Promise<string> {
  let count = 0;
  const proxy = await listen(async (request, response) => {
    if (fault(request, response, count++)) return;
    const { authorization } = request.headers;
    const { status, headers, body } = await askServer(port, request.url!, {
      headers: authorization === undefined ? {} : { authorization },
    });
    response.writeHead(status, headers).end(body);
  });
  return `http://127.0.0.1:${proxy}`;
}

function sendError(response: ServerResponse, status: number, message: string): true {
  const body = { data: null, error: { status, name: 'Error', message, details: {} } };
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

test('a pull through failures is the same', async () => {
  const url = await behind((request, response, count) => {
    if (count % 5 === 1) return sendError(response, 500, 'Internal Server Error');
    if (count % 7 === 2) return sendError(response, 429, 'Too Many Requests');
    if (count % 11 === 3) request.socket.destroy();
    return count % 11 === 3;
  });
  const { folder, warnings } = await pullUrl({ url, token: 'all', attempts: 20 });
  expect(textOf(folder)).toBe(expected);
  expect(warnings).toHaveLength(1);
});

test('pages that the server cannot answer become smaller', async () => {
  const refused: number[] = [];
  const url = await behind((request, response) => {
    const size = Number(/pagination\[pageSize\]=(\d+)/.exec(decodeURIComponent(request.url!))?.[1] ?? 1);
    if (size <= 30) return false;
    refused.push(size);
    return sendError(response, 503, 'Too slow');
  });
  const { folder } = await pullUrl({ url, token: 'all', attempts: 1 });
  expect(textOf(folder)).toBe(expected);
  expect(refused.length).toBeGreaterThan(5);
});

test('a smaller maximum of the page size is heeded', async () => {
  const small = await openShared(gazetteExport, { ...options, maxLimit: 3 });
  const { port: other } = await start({}, small);
  const { folder } = await pullUrl({ url: `http://127.0.0.1:${other}`, token: 'all' });
  expect(textOf(folder)).toBe(expected);
});

test('a pull that ended goes on with what it has read', async () => {
  let isRevoked = true;
  const asked: string[] = [];
  const url = await behind((request, response, count) => {
    asked.push(request.url!);
    return isRevoked && count > 60 && sendError(response, 401, 'Missing or invalid credentials');
  });
  const folder = join(temporaryFolder(), 'pulled');
  const pull = async () => {
    const client = await StrapiClient.open({ url, token: 'all', firstPause: 1 });
    const input = new RestInput(client);
    await pullContent(input, await input.outline(), folder);
  };
  await expect(pull()).rejects.toThrow(/rejects the token \(401: Missing or invalid credentials\)/);
  isRevoked = false;
  const pages = () => asked.splice(0).filter((path) => path.includes('populate')).length;
  asked.length = 0;
  await pull();
  const rest = pages();
  expect(textOf(folder)).toBe(expected);
  await pullUrl({ url, token: 'all' });
  expect(rest).toBeLessThan(pages());
});

test('an end by a signal keeps what was read', async () => {
  const stop = new AbortController();
  const url = await behind((_, __, count) => {
    if (count === 50) stop.abort(new Error('stopped'));
    return false;
  });
  const folder = join(temporaryFolder(), 'pulled');
  const open = (signal?: AbortSignal) => StrapiClient.open({ url, token: 'all', firstPause: 1, signal });
  const stopped = new RestInput(await open(stop.signal));
  const outline = await stopped.outline();
  await expect(pullContent(stopped, outline, folder)).rejects.toThrow('stopped');
  await pullContent(new RestInput(await open()), outline, folder);
  expect(textOf(folder)).toBe(expected);
});

test('a token without any right is a sentence', async () => {
  const url = await behind((request, response) =>
    /content-type-builder/.test(request.url!) ? false : sendError(response, 403, 'Forbidden'),
  );
  await expect(pullUrl({ url, token: 'all' })).rejects.toThrow(
    /the token can read no content type\. It needs permissions such as api::[\w.-]+\.find\.$/,
  );
});

test('a refusal of a proxy leaves nothing out', async () => {
  const refused = ['restaurants?', 'i18n/locales', 'users-permissions/roles'];
  for (const path of refused) {
    for (const status of [403, 404]) {
      const url = await behind((request, response) => {
        const isRefused = request.url!.startsWith(`/api/${path}`);
        if (isRefused) response.writeHead(status).end('<html>Blocked</html>');
        return isRefused;
      });
      await expect(pullUrl({ url, token: 'all' })).rejects.toThrow(`answers with ${status}.`);
    }
  }
});

test('a type without a route for reading is left out', async () => {
  const url = await behind((request, response) => {
    const isRefused = request.url!.startsWith('/api/restaurants?');
    if (isRefused) response.writeHead(405, { Allow: 'POST' }).end('Method Not Allowed');
    return isRefused;
  });
  const { warnings } = await pullUrl({ url, token: 'all' });
  expect(warnings).toContainEqual(
    expect.stringMatching(/^api::[\w.-]+ is left out: the API has no GET route restaurants\.$/),
  );
});

test('a route that ignores filters is a sentence', async () => {
  const small = await openShared(gazetteExport, { ...options, maxLimit: 3 });
  const { port: other } = await start({}, small);
  const proxy = await listen(async (request, response) => {
    const path = request.url!.replace(/filters[^&]*&/g, '');
    const { status, headers, body } = await askServer(other, path, {
      headers: { authorization: request.headers.authorization! },
    });
    response.writeHead(status, headers).end(body);
  });
  await expect(pullUrl({ url: `http://127.0.0.1:${proxy}`, token: 'all' })).rejects.toThrow(
    /ignores filters or "sort=id", so its entries cannot be read page by page\.$/,
  );
});

test('a Strapi 4 is a sentence', async () => {
  const version4 = await openShared(gazetteExport, { ...options, responseFormat: 'v4' });
  const { port: other } = await start({}, version4);
  await expect(pullUrl({ url: `http://127.0.0.1:${other}`, token: 'all' })).rejects.toThrow(
    /answers in the format of Strapi 4, which cannot be pulled\. Serve an export of it/,
  );
});

test('a token that may not read the content types needs them from a snapshot', async () => {
  const url = await behind(
    (request, response) => /content-type-builder/.test(request.url!) && sendError(response, 403, 'Forbidden'),
  );
  await expect(pullUrl({ url, token: 'all' })).rejects.toThrow(
    /lacks the permission plugin::content-type-builder\.content-types\.getContentTypes .* --types names an export/,
  );
  const { folder } = await pullUrl({ url, token: 'all' }, gazetteExport);
  const entities = (text: string) => text.split('\n').filter((line) => line.startsWith('{"type":"'));
  expect(entities(textOf(folder))).toEqual(entities(expected));
});
