import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Content } from '../../src/content/content.ts';
import { type ContentEntry, Contents, createEntry } from '../../src/content/registry/contents.ts';
import { MemoryShares } from '../../src/content/registry/memory-shares.ts';
import { openThings } from '../support/server.ts';

/** What each content has of the memory for caches. */

const taken = new Map<string, number>();
const entry = (name: string): ContentEntry => {
  const served = { takeShare: (share: number) => void taken.set(name, share) };
  const content = { history: { served } } as unknown as Content;
  return createEntry({ name, content, error: null, put: null });
};

let contents: Contents;
let shares: MemoryShares;
beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  taken.clear();
  contents = new Contents(entry('main'));
  for (const name of ['a', 'b']) contents.set(entry(name));
  shares = new MemoryShares(contents, 60_000);
  return () => {
    shares.close();
    vi.useRealTimers();
  };
});

const use = (name: string) => shares.use(contents.get(name)!);

describe('memory for caches', () => {
  test('is divided among the contents in use', () => {
    expect(Object.fromEntries(taken)).toEqual({ main: 0, a: 0, b: 0 });
    use('main');
    expect(Object.fromEntries(taken)).toEqual({ main: 1, a: 0, b: 0 });
    use('a');
    expect(Object.fromEntries(taken)).toEqual({ main: 0.5, a: 0.5, b: 0 });
  });

  test('is taken from a content without a request, and divided among the others', () => {
    use('main');
    use('a');
    vi.advanceTimersByTime(59_000);
    use('main');
    vi.advanceTimersByTime(6000);
    expect(Object.fromEntries(taken)).toEqual({ main: 1, a: 0, b: 0 });
    use('a');
    expect(taken.get('a')).toBe(0.5);
  });

  test('is divided anew when a content in use is removed or replaced', () => {
    use('main');
    use('a');
    contents.delete('a');
    expect(taken.get('main')).toBe(1);
    contents.set(entry('main'));
    expect(taken.get('main')).toBe(0);
  });

  test('stays with the only content', () => {
    use('main');
    contents.delete('a');
    contents.delete('b');
    vi.advanceTimersByTime(600_000);
    expect(taken.get('main')).toBe(1);
  });
});

test('the last use of a content is known when it is idle', () => {
  const { lastUse } = contents.get('a')!;
  expect(lastUse[0]).toBe(0);
  vi.advanceTimersByTime(1000);
  use('a');
  expect(lastUse[0]).toBe(1000);
  vi.advanceTimersByTime(100_000);
  expect(lastUse[0]).toBe(1000);
});

test('content without a share holds no caches and answers as before', async () => {
  const content = await openThings();
  const url = '/api/things?filters[title][$contains]=1&sort=title';
  const ask = async () => (await content.answer(url)).body.toString();
  const bytes = () => Object.values(content.history.cacheFigures).map((figures) => figures.bytes);
  const expected = await ask();
  for (let i = 0; i < 3; i++) expect(await ask()).toBe(expected);
  expect(Math.min(content.history.cacheFigures.url.bytes, content.history.cacheFigures.derived.bytes)).toBeGreaterThan(
    0,
  );

  content.history.served.takeShare(0);
  expect(bytes().every((each) => each === 0)).toBe(true);
  expect(await ask()).toBe(expected);
  expect(bytes().every((each) => each === 0)).toBe(true);
  content.history.served.takeShare(0.5);
  for (let i = 0; i < 3; i++) expect(await ask()).toBe(expected);
  expect(content.history.cacheFigures.url.bytes).toBeGreaterThan(0);
});

test('content with a smaller share keeps the replies that were requested last', async () => {
  const content = await openThings({ cacheBytes: 4 * 3 * 40_000, compression: true });
  const ask = (i: number) => content.answer(`/api/things?filters[title]=Thing ${i}`);
  const warm = (i: number) => [ask(i), ask(i)];
  for (let i = 0; i < 10; i++) warm(i);
  const { hits } = content.history.cacheFigures.url;
  content.history.served.takeShare(0.5);
  expect(content.history.cacheFigures.url.bytes).toBeLessThanOrEqual(45_000);
  ask(9);
  expect(content.history.cacheFigures.url.hits).toBe(hits + 1);
});
