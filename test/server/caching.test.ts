import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { createListener } from '../../src/http/app.ts';
import { ConfigError, type OpenOptions } from '../../src/index.ts';
import { openGuide, sha256 } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';

/** ETag, If-None-Match, Cache-Control and Vary. */

afterEach(closeServers);

const path = '/api/restaurants?sort=id';
async function serve(options: OpenOptions = {}): Promise<number> {
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  return listen(createListener(await openGuide({ tokens, jwtSecret, ...options })));
}

describe('ETag', () => {
  test('is strong and equal exactly for equal bytes', async () => {
    const [one, other] = [await serve(), await serve({ cacheBytes: 0 })];
    const { headers } = await askServer(one, path);
    expect(headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect((await askServer(one, path)).headers.etag).toBe(headers.etag);
    // the same bytes from another process, another form of the query and another caller
    expect((await askServer(other, path)).headers.etag).toBe(headers.etag);
    expect((await askServer(one, '/api/restaurants?sort[0]=id')).headers.etag).toBe(headers.etag);
    expect((await askServer(one, `${path}:desc`)).headers.etag).not.toBe(headers.etag);
    expect((await askServer(one, path, { method: 'HEAD' })).headers.etag).toBe(headers.etag);
  });

  test('is absent from errors, which are not cached', async () => {
    const port = await serve();
    for (const wrong of ['/api/nothing', '/api/restaurants?sort=x', '/api/restaurants/none']) {
      const { status, headers } = await askServer(port, wrong, { headers: { 'If-None-Match': '*' } });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers).not.toHaveProperty('etag');
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});

describe.each([64 * 2 ** 20, 0])('If-None-Match with a cache of %d bytes', (cacheBytes) => {
  test.each<[string, (etag: string) => string, number]>([
    ['the same', (etag) => etag, 304],
    ['a weak one', (etag) => `W/${etag}`, 304],
    ['a list with it', (etag) => `"a", W/"b",${etag} , "c"`, 304],
    ['any', () => '*', 304],
    ['another', () => '"abc"', 200],
    ['a list without it', () => '"a", "b"', 200],
    ['its text without quotes', (etag) => etag.slice(1, -1), 200],
    ['nothing', () => '', 200],
  ])('%s', async (_, condition, expected) => {
    const port = await serve({ cacheBytes });
    const whole = await askServer(port, path);
    for (const method of ['GET', 'HEAD']) {
      const headers = { 'If-None-Match': condition(whole.headers.etag!) };
      const { status, body, headers: got } = await askServer(port, path, { method, headers });
      expect(status).toBe(expected);
      expect(got.etag).toBe(whole.headers.etag);
      expect(got.vary).toBe(whole.headers.vary);
      expect(got['cache-control']).toBe(whole.headers['cache-control']);
      expect(body.length).toBe(expected === 304 || method === 'HEAD' ? 0 : whole.body.length);
      if (expected === 304) expect(got).not.toHaveProperty('content-length');
    }
  });
});

describe('Cache-Control', () => {
  const kinds = {
    anonymous: {},
    token: { Authorization: 'Bearer all' },
    user: { Authorization: `Bearer ${jwtOf(1)}` },
  };

  async function ask(options: OpenOptions, asked = path) {
    const port = await serve(options);
    const got: Record<string, string> = {};
    // twice, so that the reply to one caller is cached when the next one requests it
    for (let turn = 0; turn < 2; turn++) {
      for (const [kind, headers] of Object.entries(kinds)) {
        const { status, headers: answered } = await askServer(port, asked, { headers });
        expect([200, 204]).toContain(status);
        got[kind] = `${got[kind] ?? ''}${answered['cache-control']!};`;
      }
    }
    return got;
  }

  const twice = (value: string) => `${value};${value};`;

  test('is public without credentials and private with them', async () => {
    const forAll = twice('public, max-age=0, must-revalidate');
    const forOne = twice('private, max-age=0, must-revalidate');
    expect(await ask({})).toEqual({ anonymous: forAll, token: forOne, user: forOne });
    // a reply to a token is private even if the public has equal permissions
    const everything = [{ type: 'authenticated', permissions: ['api::restaurant.restaurant.find'] }];
    const roles = [...everything, { ...everything[0], type: 'public' }];
    expect(await ask({ roles })).toEqual({ anonymous: forAll, token: forOne, user: forOne });
  });

  test('follows the first rule that matches role and content type', async () => {
    const cacheControl = [
      { type: 'api::restaurant.restaurant', value: 'public, max-age=60' },
      { value: 'public, max-age=5' },
      { role: 'token', value: 'no-store' },
      { role: 'authenticated', type: 'api::chef.chef', value: 'private, max-age=9' },
    ];
    const forOne = 'private, max-age=0, must-revalidate';
    expect(await ask({ cacheControl })).toEqual({
      anonymous: twice('public, max-age=60'),
      token: twice('no-store'),
      user: twice(forOne),
    });
    const { anonymous } = await ask({ cacheControl }, '/api/articles');
    expect(anonymous).toBe(twice('public, max-age=5'));
  });

  test('rejects rules for roles and content types that do not exist', async () => {
    const cacheControl = [
      { role: 'nobody', value: 'private' },
      { type: 'restaurants', value: 'public' },
    ];
    const opened = openGuide({ cacheControl });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(
      'options: cacheControl[0].role: no such role, is "nobody"\n' +
        'options: cacheControl[1].type: no such content type, is "restaurants"',
    );
  });

  test('forbids storing an explained reply', async () => {
    const headers = { Authorization: 'Bearer all', 'X-Lectern-Explain': '1' };
    const port = await serve();
    // it does not share the prepared headers of the cached reply either
    for (let i = 0; i < 3; i++) await askServer(port, path, { headers: { Authorization: 'Bearer all' } });
    const answered = await askServer(port, path, { headers });
    expect(answered.headers).toHaveProperty('x-lectern-plan');
    expect(answered.headers['cache-control']).toBe('no-store');
  });
});

test('a middleware that intercepts writeHead sees every header', async () => {
  const seen: unknown[] = [];
  const app = express().use((_request, response, next) => {
    const writeHead = response.writeHead;
    response.writeHead = function (this: typeof response, ...given: any[]) {
      seen.push([given, response.get('ETag'), response.get('Content-Length')]);
      return writeHead.apply(this, given as never);
    } as never;
    next();
  });
  const port = await listen(app.use('/api', (await openGuide()).router()));
  const { headers } = await askServer(port, path);
  expect(seen).toEqual([[[200], headers.etag, headers['content-length']]]);
});

describe('Vary', () => {
  test('names the request headers that a reply depends on', async () => {
    const port = await serve();
    for (const asked of [path, '/api/nothing']) {
      const { headers } = await askServer(port, asked);
      expect(headers.vary).toBe(
        'Authorization, Accept-Encoding, Strapi-Response-Format, X-Lectern-At-Least, X-Lectern-Role',
      );
    }
  });

  test('keeps the value that an outer app has set', async () => {
    const app = express().use((_request, response, next) => {
      response.setHeader('Vary', 'Origin');
      response.setHeader('X-Mine', '1');
      next();
    });
    const port = await listen(app.use('/api', (await openGuide()).router()));
    for (let turn = 0; turn < 2; turn++) {
      const { headers } = await askServer(port, path);
      expect(headers.vary).toBe(
        'Origin, Authorization, Accept-Encoding, Strapi-Response-Format, X-Lectern-At-Least, X-Lectern-Role',
      );
      expect(headers['x-mine']).toBe('1');
    }
  });
});
