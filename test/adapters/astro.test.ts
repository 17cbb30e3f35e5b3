// The loader of Astro over Lectern, with a store in place of Astro's. `npm run test:frameworks` uses the real one.
import { expect, test } from 'vitest';
import { type LoaderContext, lecternLoader } from '../../src/adapters/astro.ts';
import { createClient } from '../../src/client/index.ts';
import { type Content, open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const uid = 'api::thing.thing';

/** Astro's side of a loader. */
class Collection {
  readonly entries = new Map<string, { data: Record<string, unknown>; digest: number | string }>();
  readonly written: string[] = [];
  readonly parsed: string[] = [];
  readonly lines: string[] = [];

  readonly context: LoaderContext = {
    store: {
      get: (id) => this.entries.get(id),
      set: ({ id, data, digest }) => {
        this.entries.set(id, { data, digest });
        return this.written.push(id) > 0;
      },
      delete: (id) => void this.entries.delete(id),
      keys: () => [...this.entries.keys()],
    },
    parseData: async ({ id, data }) => {
      this.parsed.push(id);
      return { ...data, parsed: true };
    },
    generateDigest: (data) => JSON.stringify(data),
    logger: { info: (line) => void this.lines.push(line) },
  };

  /** Returns the ids that were written since the last call. */
  takeWritten(): string[] {
    return this.written.splice(0);
  }
}

async function serveThings(count: number): Promise<{ content: Content; url: string }> {
  const entries = Array.from({ length: count }, (_, i) => ({ documentId: `t${i}`, title: `Thing ${i}` }));
  const content = await open(thingSnapshot({ title: { type: 'string' } }, entries), { maxLimit: 50 });
  const { port } = await start({}, content);
  return { content, url: `http://127.0.0.1:${port}/api` };
}

const upsert = (id: number, data: Record<string, unknown>) => ({ type: uid, id, data });

test('all pages are read, also if the server gives fewer entries than are asked for', async () => {
  const { url } = await serveThings(230);
  const asked: string[] = [];
  const counting: typeof fetch = (input, init) => {
    asked.push(String(input));
    return fetch(input, init);
  };
  const client = createClient<any>({ url, fetch: counting });
  const collection = new Collection();
  await lecternLoader({ client, name: 'things' as never }).load(collection.context);
  expect(collection.takeWritten()).toHaveLength(230);
  expect(asked).toHaveLength(5);
  expect(collection.entries.get('t7')!.data).toMatchObject({ documentId: 't7', title: 'Thing 7', parsed: true });
  expect(collection.lines).toEqual(['things: 230 entries, 230 of them new or changed, 0 deleted']);
});

test('unchanged entries stay, changed ones are written, and those that are gone are deleted', async () => {
  const { content, url } = await serveThings(120);
  const loader = lecternLoader({ client: createClient<any>({ url }), name: 'things' as never, pageSize: 10 });
  const collection = new Collection();
  await loader.load(collection.context);
  collection.takeWritten();
  await loader.load(collection.context);
  expect(collection.takeWritten()).toEqual([]);
  content.apply({
    entities: [
      upsert(5, { documentId: 't4', title: 'Edited' }),
      upsert(900, { documentId: 'new', title: 'New' }),
      { type: uid, id: 8, data: null },
    ],
    links: [],
  });
  await loader.load(collection.context);
  expect(collection.takeWritten()).toEqual(['t4', 'new']);
  expect(collection.entries.has('t7')).toBe(false);
  expect(collection.entries.size).toBe(120);
});

test('filters and ids are those of the options', async () => {
  const { url } = await serveThings(30);
  const query = { filters: { title: { $startsWith: 'Thing 1' } }, fields: ['title'] };
  const id = ({ title }: Record<string, unknown>) => String(title);
  const collection = new Collection();
  const client = createClient<any>({ url });
  await lecternLoader({ client, name: 'things' as never, query: query as never, id, pageSize: 4 }).load(
    collection.context,
  );
  const expected = ['Thing 1', ...Array.from({ length: 10 }, (_, i) => `Thing 1${i}`)];
  expect(collection.takeWritten()).toEqual(expected);
  expect(Object.keys(collection.entries.get('Thing 1')!.data)).toEqual(['id', 'documentId', 'title', 'parsed']);
});

test('an entry that is added or deleted meanwhile hides no other', async () => {
  const { content, url } = await serveThings(100);
  let reads = 0;
  const client = createClient<any>({
    url,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (++reads === 2) content.apply({ entities: [1, 2, 3].map((id) => ({ type: uid, id, data: null })), links: [] });
      return response;
    },
  });
  const collection = new Collection();
  await lecternLoader({ client, name: 'things' as never, pageSize: 20 }).load(collection.context);
  for (let i = 3; i < 100; i++) expect(collection.entries.has(`t${i}`)).toBe(true);
});

test('an error leaves the collection as it is', async () => {
  const { url } = await serveThings(100);
  const collection = new Collection();
  collection.entries.set('kept', { data: {}, digest: 1 });
  let reads = 0;
  const client = createClient<any>({
    url,
    fetch: async (input, init) => (++reads === 3 ? new Response('{}', { status: 503 }) : fetch(input, init)),
  });
  const loading = lecternLoader({ client, name: 'things' as never, pageSize: 20 }).load(collection.context);
  await expect(loading).rejects.toThrow();
  expect([...collection.entries.keys()]).toEqual(['kept']);
});
