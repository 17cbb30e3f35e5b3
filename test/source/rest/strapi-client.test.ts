import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { InterruptiblePause } from '../../../src/follow/pauses.ts';
import { type ClientSettings, StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import { StrapiError } from '../../../src/follow/rest/strapi-error.ts';
import { closeServers, listen } from '../../support/http.ts';

afterEach(closeServers);

const token = 'secret-token-of-the-test';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
}

const error = (status: number, message: string) => ({ data: null, error: { status, name: 'Error', message } });

/** Starts a server with the route that the client looks for, and `answer` for all others. */
async function serve(answer: Answer, prefix = '/api'): Promise<string> {
  const port = await listen((request, response) => {
    if (!request.url!.startsWith(`${prefix}/`) || request.url!.startsWith('/api/api/'))
      return sendJson(response, 404, error(404, 'Not Found'));
    if (request.url!.startsWith(`${prefix}/content-type-builder/`))
      return sendJson(response, 403, error(403, 'Forbidden'));
    answer(request, response);
  });
  return `http://127.0.0.1:${port}`;
}

const open = (url: string, settings: Partial<ClientSettings> = {}) =>
  StrapiClient.open({ url, token, firstPause: 1, ...settings });

/** Returns the message of the StrapiError with which a promise rejects. */
async function messageOf(promise: Promise<unknown>): Promise<string> {
  const problem = await promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );
  expect(problem).toBeInstanceOf(StrapiError);
  const { message } = problem as StrapiError;
  expect(message).not.toContain(token);
  return message;
}

describe('the address', () => {
  test('may end with the prefix of the API, have a path, or a prefix of its own', async () => {
    const url = await serve((_, response) => sendJson(response, 200, { data: [] }));
    for (const given of [url, `${url}/`, `${url}/api`, `${url}/api/`]) {
      expect((await open(given)).address).toBe(`${url}/api`);
    }
    const below = await serve((_, response) => sendJson(response, 200, { data: [] }), '/cms/v1');
    expect((await open(`${below}/cms`, { prefix: 'v1' })).address).toBe(`${below}/cms/v1`);
    expect((await open(`${below}/cms/v1`, { prefix: '' })).address).toBe(`${below}/cms/v1`);
  });

  test('that is none is rejected', async () => {
    expect(await messageOf(open('cms.example.com'))).toBe(
      'cms.example.com is not an address. Expected one such as https://cms.example.com',
    );
    expect(await messageOf(open('https://me:secret@cms.example.com'))).toBe(
      'The address must not contain a user name or password.',
    );
  });

  test('where nothing listens fails at once', async () => {
    const port = await listen(() => {});
    closeServers();
    expect(await messageOf(open(`http://127.0.0.1:${port}`, { firstPause: 60_000 }))).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/api\/.* cannot be read: nothing listens there$/,
    );
  });

  test('of a website names the prefix', async () => {
    const port = await listen((_, response) => response.end('<html></html>'));
    expect(await messageOf(open(`http://127.0.0.1:${port}`))).toMatch(
      /answers with something other than JSON. Is this the address of a Strapi\? If the prefix of its API/,
    );
    const missing = await listen((_, response) => response.writeHead(404).end('<html></html>'));
    expect(await messageOf(open(`http://127.0.0.1:${missing}`))).toMatch(/answers with 404. Is this the address/);
  });
});

describe('the token', () => {
  test('that Strapi rejects is a sentence', async () => {
    const port = await listen((_, response) => sendJson(response, 401, error(401, 'Missing or invalid credentials')));
    expect(await messageOf(open(`http://127.0.0.1:${port}`))).toMatch(
      /Strapi rejects the token \(401: Missing or invalid credentials\)\. It may be mistyped, expired or deleted\.$/,
    );
    expect(await messageOf(open(`http://127.0.0.1:${port}`, { token: undefined }))).toMatch(/Strapi requires a token/);
  });

  test('that cannot be sent is not quoted', async () => {
    const url = await serve((_, response) => sendJson(response, 200, {}));
    for (const unfit of [`${token}\nx`, `${token} x`, `${token}…`]) {
      expect(await messageOf(open(url, { token: unfit }))).toMatch(/^The token has characters that no API token/);
    }
    expect(await messageOf(open(url, { token: '' }))).toBe('The token is empty.');
  });

  test('that lacks a permission is told which', async () => {
    const client = await open(await serve((_, response) => sendJson(response, 403, error(403, 'Forbidden'))));
    expect(await messageOf(client.get('articles', {}, 'api::article.article.find'))).toMatch(
      /\/api\/articles: the token lacks the permission api::article\.article\.find \(403: Forbidden\)\.$/,
    );
  });

  test('goes to its own origin only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers.authorization);
      sendJson(response, 200, {});
    });
    const client = await open(
      await serve((request, response) => {
        seen.push(request.headers.authorization);
        const target = request.url === '/api/away' ? `http://127.0.0.1:${other}/api/x` : '/api/here';
        if (request.url === '/api/here') sendJson(response, 200, { here: true });
        else response.writeHead(302, { Location: target }).end();
      }),
    );
    expect(await client.get('near')).toEqual({ here: true });
    expect(await messageOf(client.get('away'))).toMatch(/redirects to another origin, http:\/\/127\.0\.0\.1:\d+\./);
    expect(seen).toEqual(Array(3).fill(`Bearer ${token}`));
  });

  test('follows a circle of redirects only so far', async () => {
    const client = await open(await serve((_, response) => response.writeHead(307, { Location: '/api/again' }).end()));
    expect(await messageOf(client.get('again'))).toMatch(/redirects more than 5 times/);
  });
});

describe('failures', () => {
  test('of the server and of connections are tried again', async () => {
    const failures: Answer[] = [
      (_, response) => sendJson(response, 500, error(500, 'Internal Server Error')),
      (_, response) => response.writeHead(502).end('Bad Gateway'),
      (request) => request.socket.destroy(),
      (_, response) => response.writeHead(200, { 'Content-Length': '100' }).write('{"data":', () => response.destroy()),
      (_, response) => sendJson(response, 429, error(429, 'Too many'), { 'Retry-After': '0' }),
    ];
    const client = await open(
      await serve((request, response) => {
        const failure = failures.shift();
        if (failure) failure(request, response);
        else sendJson(response, 200, { data: 'ö' });
      }),
    );
    const before = client.requestCount;
    expect(await client.get('articles')).toEqual({ data: 'ö' });
    expect(client.requestCount - before).toBe(6);
  });

  test('end after the given number of attempts', async () => {
    const client = await open(await serve((_, response) => sendJson(response, 500, error(500, 'Broken'))), {
      attempts: 3,
    });
    const before = client.requestCount;
    expect(await messageOf(client.get('articles', { sort: 'id' }))).toMatch(
      /articles\?sort=id answers with 500: Broken$/,
    );
    expect(client.requestCount - before).toBe(3);
  });

  test('that are the fault of the request are not tried again', async () => {
    const client = await open(await serve((_, response) => sendJson(response, 400, error(400, 'Invalid key secret'))));
    const before = client.requestCount;
    expect(await messageOf(client.get('articles'))).toMatch(/answers with 400: Invalid key secret$/);
    expect(client.requestCount - before).toBe(1);
  });

  test('with Retry-After hold back all requests', async () => {
    const times: number[] = [];
    const client = await open(
      await serve((_, response) => {
        times.push(Date.now());
        if (times.length === 1) sendJson(response, 429, error(429, 'Too many'), { 'Retry-After': '1' });
        else sendJson(response, 200, {});
      }),
    );
    const first = client.get('a');
    while (times.length === 0) await wait(5);
    await wait(50);
    await Promise.all([first, client.get('b'), client.get('c')]);
    expect(times).toHaveLength(4);
    for (const time of times.slice(1)) expect(time - times[0]).toBeGreaterThan(900);
  });

  test('of a slow reply name the time', async () => {
    const client = await open(await serve(() => {}), { timeout: 50, attempts: 2 });
    expect(await messageOf(client.get('articles'))).toMatch(/articles does not answer within 0\.05 s$/);
  });

  test('end with the reason of the signal', async () => {
    const stop = new AbortController();
    const client = await open(await serve(() => stop.abort(new Error('stopped'))), { signal: stop.signal });
    await expect(client.get('articles')).rejects.toThrow('stopped');
    await expect(client.get('articles')).rejects.toThrow('stopped');
  });
});

test('replies of caches are not accepted', async () => {
  let asked: IncomingMessage['headers'] = {};
  const client = await open(
    await serve((request, response) => {
      asked = request.headers;
      sendJson(response, 200, {});
    }),
  );
  await client.get('articles');
  expect(asked['cache-control']).toBe('no-cache');
});

test('only so many requests run at once', async () => {
  let running = 0;
  let most = 0;
  const client = await open(
    await serve(async (_, response) => {
      most = Math.max(most, ++running);
      await wait(10);
      running--;
      sendJson(response, 200, {});
    }),
    { concurrency: 3 },
  );
  await Promise.all(Array.from({ length: 20 }, (_, i) => client.get(`articles/${i}`)));
  expect(most).toBe(3);
});

test('a request that waits to be sent again is sent when its pause is ended', async () => {
  let count = 0;
  const url = await serve((_, response) => sendJson(response, ++count === 1 ? 503 : 200, { count }));
  const retryPause = new InterruptiblePause();
  const client = await open(url, { firstPause: 30_000, retryPause });
  const started = performance.now();
  const reply = client.get('articles');
  const ending = setInterval(() => retryPause.end(), 10);
  expect(await reply).toEqual({ count: 2 });
  clearInterval(ending);
  expect(performance.now() - started).toBeLessThan(15_000);
});
