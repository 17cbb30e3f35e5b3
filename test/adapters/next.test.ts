// The adapter of Next.js, with functions in place of those of next/cache. `npm run test:frameworks` uses the real ones.
import { expect, test, vi } from 'vitest';
import { createStaleHandler, createTaggedFetch } from '../../src/adapters/next.ts';
import { createClient } from '../../src/client/index.ts';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { eventRequest, secret } from './events.ts';

stopServersAfterEach();

const url = 'http://127.0.0.1/api/things';

/** The tags of a read that is answered with a response. */
async function tagsOfRead(response: Response): Promise<string[]> {
  const cacheTag = vi.fn<(...tags: string[]) => void>();
  await createTaggedFetch({ cacheTag, fetch: async () => response })(url);
  return cacheTag.mock.calls.flat();
}

test('a read has the tags of its reply, and one that every read has', async () => {
  const headers = { 'Cache-Tag': 'api::thing.thing:entries,api::thing.thing/one' };
  const tags = await tagsOfRead(new Response('{}', { headers }));
  expect(tags).toEqual(['lectern', 'api::thing.thing:entries', 'api::thing.thing/one']);
});

test('a reply without tags may change with anything', async () => {
  expect(await tagsOfRead(new Response('{}', { status: 404 }))).toEqual(['lectern', 'all']);
});

test('a reply of Lectern has at most 127 tags, so that Next.js takes all of them', async () => {
  // a name so short that the tags take less than 2 KB
  const snapshot: JsonSnapshot = {
    contentTypes: [{ info: { singularName: 'a', pluralName: 'as' }, attributes: {} }],
    entries: { a: Array.from({ length: 200 }, (_, i) => ({ documentId: `d${i}` })) },
    roles: [{ type: 'public', permissions: ['api::a.a.find'] }],
  };
  const { port } = await start({}, await open(snapshot, { cacheTags: true, maxLimit: 200 }));
  const calls: string[][] = [];
  const ask = createTaggedFetch({ cacheTag: (...tags) => void calls.push(tags) });
  const client = createClient<any>({ url: `http://127.0.0.1:${port}/api`, fetch: ask });
  for (const pageSize of [50, 126, 127]) await client.find('as', { pagination: { pageSize } } as never);
  expect(calls.map(({ length }) => length)).toEqual([52, 128, 2]);
  expect(calls[2]).toEqual(['lectern', 'api::a.a']);
});

test('each tag of an event expires at once, and without tags that of every read', async () => {
  const revalidateTag = vi.fn();
  const handler = createStaleHandler({ secret, revalidateTag });
  await handler(eventRequest({ content: 'main', version: '1-1', tags: ['all', 'api::thing.thing'] }));
  await handler(eventRequest({ content: 'main', version: '2-0', tags: null }));
  const now = { expire: 0 };
  expect(revalidateTag.mock.calls).toEqual([
    ['all', now],
    ['api::thing.thing', now],
    ['lectern', now],
  ]);
});
