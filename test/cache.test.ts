import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CostBudget } from '../src/base/cost-budget.ts';
import { Caches } from '../src/engine/caches.ts';
import type { Content } from '../src/index.ts';
import { copyOut } from '../src/reply/buffer-pool.ts';
import { JsonWriter } from '../src/reply/json-writer.ts';
import { encodeQuery, openGuide, sha256 } from './support/guide.ts';

const secret = 'a secret of the tests';

function jwt(id: number): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ id })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const options = {
  jwtSecret: secret,
  tokens: [
    { name: 'all', sha256: sha256('all'), type: 'full-access' as const },
    { name: 'reader', sha256: sha256('reader'), type: 'read-only' as const },
    {
      name: 'chefs',
      sha256: sha256('chefs'),
      type: 'custom' as const,
      permissions: ['api::restaurant.restaurant.find', 'api::chef.chef.find'],
    },
    { name: 'nothing', sha256: sha256('nothing'), type: 'custom' as const, permissions: [] },
  ],
};

const callers = [
  undefined,
  'Bearer all',
  'Bearer reader',
  'Bearer chefs',
  'Bearer nothing',
  `Bearer ${jwt(1)}`,
  'Bearer wrong',
];

const urls = [
  '/api/restaurants',
  '/api/restaurants?populate=*',
  '/api/restaurants?populate[chef][fields]=name&populate[licence]=true',
  '/api/restaurants?sort=id',
  '/api/restaurants?populate=licence&sort=id',
  '/api/restaurants?sort[0]=id',
  '/api/restaurants?filters[licence][number][$notNull]=true',
  '/api/restaurants?sort=licence.number',
  '/api/restaurants?filters[chef][name][$notNull]=true&populate=chef',
  '/api/articles?status=draft',
  '/api/articles?locale=*&populate=localizations',
  '/api/categories?populate=*',
  '/api/bookmarks?populate=*',
  '/api/licences',
  '/api/chefs?populate=*',
  '/api/users',
  '/api/users/me',
  '/api/users/1?populate=role',
  '/api/upload/files',
  '/api/nothing',
].map((url) => (url.includes('?') ? `${url.split('?')[0]}?${encodeQuery(url.split('?')[1])}` : url));

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('no caller ever gets a reply that was made for the rights of another', async () => {
    const truth = await openGuide({ ...options, dialect, cacheBytes: 0 });
    const cached = await openGuide({ ...options, dialect });
    let compared = 0;
    const statuses = new Set<number>();
    // each caller once first into an empty cache, and after every other into a full one
    for (let turn = 0; turn < callers.length + 1; turn++) {
      for (const url of urls) {
        for (let i = 0; i < callers.length; i++) {
          const authorization = callers[(i + turn) % callers.length];
          const expected = await truth.answer(url, { authorization });
          const { status, headers, body } = await cached.answer(url, { authorization });
          const what = `${url} as ${authorization}`;
          expect({ what, status, headers, body: body.toString() }).toEqual({
            what,
            status: expected.status,
            headers: expected.headers,
            body: expected.body.toString(),
          });
          statuses.add(status);
          compared++;
        }
      }
    }
    expect(compared).toBe((callers.length + 1) * urls.length * callers.length);
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404]);
  });
});

test('what is asked for again is kept: from then on the reply is the very same bytes', async () => {
  const content = await openGuide();
  const [, second, third] = await answers(content, 3, '/api/restaurants?sort=id');
  expect(third).toBe(second);
  // another way to say the same finds the same reply by its bound query
  const [, other] = await answers(content, 2, '/api/restaurants?sort[0]=id%3AASC');
  expect(other).toBe(second);
});

test('what is asked for once is not kept, and what is kept holds nothing else in memory', async () => {
  const content = await openGuide();
  const [first, second] = await answers(content, 2, '/api/restaurants?sort=id');
  expect(second).not.toBe(first);
  expect(second).toEqual(first);
  expect(second.buffer.byteLength).toBe(second.length);
});

async function answers(content: Content, times: number, url: string): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (let i = 0; i < times; i++) bodies.push((await content.answer(url)).body);
  return bodies;
}

test('replies that are kept are bounded in bytes', () => {
  const caches = new Caches(3 * 10_000);
  const kept = (i: number) => caches.replyByUrl(`public /${i}`) !== undefined;
  const reply = (bytes: number) => ({ status: 200, headers: {}, body: Buffer.alloc(bytes) });
  for (let i = 0; i < 100; i++) caches.keepByUrl(`public /${i}`, reply(1000));
  const left = Array.from({ length: 100 }, (_, i) => i).filter(kept);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(10);
  expect(kept(99)).toBe(true);
  caches.keepByUrl('public /large', reply(20_000));
  expect(caches.replyByUrl('public /large')).toBeUndefined();
});

test('a reply that is not kept holds a part of a small slab, or a room of a few times its size, however long it was expected to be', () => {
  const writer = new JsonWriter({ nodes: 10, bytes: 2 ** 20 });
  const source = Buffer.alloc(2 ** 20, 'a');
  const lengths = [10, 3000, 8192, 8193, 16_384, 70_000, 500_000, 20];
  for (const [length, expected] of lengths.flatMap((length) =>
    [0, ...lengths, 2 ** 24].map((other) => [length, other]),
  )) {
    writer.start(new CostBudget(1e9), expected);
    for (let written = 0; written < length; written += 1000)
      writer.copy(source, written, Math.min(written + 1000, length));
    const body = writer.finish();
    expect(body.toString()).toBe('a'.repeat(length));
    expect(body.buffer.byteLength).toBeLessThanOrEqual(Math.max(64 * 1024, 4 * length));
    expect(copyOut(body).buffer.byteLength).toBe(length);
  }
});
