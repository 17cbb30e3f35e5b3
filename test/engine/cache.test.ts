// What caches hold, and for how long. access/matrix.test.ts shows that they change no reply.
import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { Caches } from '../../src/engine/caches/caches.ts';
import type { Content } from '../../src/index.ts';
import { JsonWriter } from '../../src/query/reply/json-writer.ts';
import { copyOut } from '../../src/query/reply/reply-memory.ts';
import { openGuide } from '../support/guide.ts';

test('caches a reply from the second request on, and returns the same buffer from then on', async () => {
  const content = await openGuide();
  const [, second, third] = await answers(content, 3, '/api/restaurants?sort=id');
  expect(third).toBe(second);
  // an equivalent query finds the same reply by its bound query
  const [, other] = await answers(content, 2, '/api/restaurants?sort[0]=id%3AASC');
  expect(other).toBe(second);
});

test('caches nothing at the first request; a cached body has a buffer of exactly its size', async () => {
  const content = await openGuide();
  const [first, second] = await answers(content, 2, '/api/restaurants?sort=id');
  expect(second).not.toBe(first);
  expect(second).toEqual(first);
  expect(second.buffer.byteLength).toBe(second.length);
});

test('keeps a part of the replies if more are requested in turn than fit', async () => {
  const content = await openGuide({ cacheBytes: 200_000 });
  for (let turn = 0; turn < 20; turn++) {
    for (let page = 1; page <= 100; page++) await content.answer(`/api/restaurants?pagination[start]=${page}`);
  }
  expect(content.history.cacheFigures.url.hits).toBeGreaterThan(100);
});

async function answers(content: Content, times: number, url: string): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (let i = 0; i < times; i++) bodies.push((await content.answer(url)).body);
  return bodies;
}

test('limits the bytes of cached replies', () => {
  const caches = new Caches(3 * 10_000);
  const kept = (i: number) => caches.replyByUrl(`public /${i}`) !== undefined;
  const reply = (bytes: number) => ({
    reply: { status: 200, headers: {}, body: Buffer.alloc(bytes) },
    tags: [],
    sequence: 0,
  });
  for (let i = 0; i < 100; i++) caches.keepByUrl(`public /${i}`, reply(1000));
  const left = Array.from({ length: 100 }, (_, i) => i).filter(kept);
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(10);
  expect(kept(99)).toBe(true);
  caches.keepByUrl('public /large', reply(20_000));
  expect(caches.replyByUrl('public /large')).toBeUndefined();
});

test('keeps an uncached reply in a part of a small slab or a buffer of at most four times its size, whatever its estimate', () => {
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
