// The adapter of Nuxt, with a storage as Nitro fills it. `npm run test:frameworks` uses the real one.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStaleHandler, createTaggedFetch } from '../../src/adapters/nuxt.ts';
import { eventRequest, secret } from './events.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

class Storage {
  readonly items = new Map<string, unknown>();

  async getKeys(base: string) {
    return [...this.items.keys()].filter((key) => key.startsWith(`${base}:`));
  }

  async getItem(key: string) {
    return this.items.get(key) ?? null;
  }

  async removeItem(key: string) {
    this.items.delete(key);
  }

  /** Adds a page, as `routeRules` keep it. */
  add(name: string, tags?: string, version?: string): void {
    const headers = { ...(tags && { 'cache-tag': tags }), ...(version && { 'x-lectern-version': version }) };
    this.items.set(`nitro:routes:_:${name}.json`, { value: { code: 200, headers, body: '' }, mtime: 1 });
  }

  get pages(): string[] {
    return Array.from(this.items.keys(), (key) => key.split(/[:.]/).at(-2)!);
  }
}

function pagesOf(...pages: [name: string, tags?: string, version?: string][]): Storage {
  const storage = new Storage();
  for (const page of pages) storage.add(...page);
  return storage;
}

const send = (storage: Storage, tags: string[] | null, version = '5-2') =>
  createStaleHandler({ secret, storage })(eventRequest({ content: 'main', version, tags }));

test('an event removes the pages with one of its tags, and those without tags', async () => {
  const storage = pagesOf(['a', 'lectern,one', '5-1'], ['b', 'lectern,two', '5-1'], ['c', 'lectern'], ['d']);
  storage.items.set('nuxt:payload:a.json', {});
  storage.items.set('nitro:functions:own.json', {});
  expect((await send(storage, ['all', 'one'])).status).toBe(204);
  expect(storage.pages).toEqual(['b', 'c', 'own']);
});

test('an event without tags removes every page', async () => {
  const storage = pagesOf(['a', 'lectern,one', '5-1'], ['b', 'lectern'], ['c', 'lectern,two', '9-9']);
  await send(storage, null);
  expect(storage.pages).toEqual([]);
});

test('a page that read the version of the event, or a later one, stays', async () => {
  const storage = pagesOf(
    ['older', 'lectern,one', '5-1'],
    ['same', 'lectern,one', '5-2'],
    ['later', 'lectern,one', '5-10'],
    ['epoch', 'lectern,one', '6-0'],
    ['past', 'lectern,one', '4-20'],
    ['none', 'lectern,one'],
  );
  await send(storage, ['one']);
  expect(storage.pages).toEqual(['same', 'later', 'epoch']);
});

test('a page that read before the change and is stored after it is removed, too', async () => {
  const storage = pagesOf();
  await send(storage, ['one']);
  storage.add('slow', 'lectern,one', '5-1');
  storage.add('fresh', 'lectern,one', '5-2');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(storage.pages).toEqual(['fresh']);
});

test('a page names the tags and the oldest version of its reads', async () => {
  const replies = [
    new Response('{}', { headers: { 'Cache-Tag': 'one,two', 'X-Lectern-Version': '5-10' } }),
    new Response('{}', { headers: { 'Cache-Tag': 'two,three', 'X-Lectern-Version': '5-9' } }),
    new Response('{}', { headers: { 'Cache-Tag': 'x'.repeat(4096), 'X-Lectern-Version': '5-11' } }),
  ];
  vi.stubGlobal('fetch', async () => replies.shift());
  const headers: Record<string, string> = {};
  const setHeader = (name: string, value: string) => (headers[name] = value);
  const ask = createTaggedFetch({ node: { res: { headersSent: false, setHeader } } });
  expect(headers).toEqual({ 'cache-tag': 'lectern' });
  await ask('http://127.0.0.1/');
  await ask('http://127.0.0.1/');
  expect(headers).toEqual({ 'cache-tag': 'lectern,one,two,three', 'x-lectern-version': '5-9' });
  // too long for a header
  await ask('http://127.0.0.1/');
  expect(headers).toEqual({ 'cache-tag': 'lectern,all', 'x-lectern-version': '5-9' });
});

test('a browser uses its own fetch', () => {
  expect(createTaggedFetch(undefined)).toBe(fetch);
});
