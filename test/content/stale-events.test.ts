// Replies name what they depend on, and listeners learn what a batch made stale.
import { describe, expect, test, vi } from 'vitest';
import type { Batch } from '../../src/changes/batch/batch.ts';
import { Content } from '../../src/content/content.ts';
import { ChangeFeed } from '../../src/content/versions/change-feed.ts';
import { Subscriptions } from '../../src/content/versions/subscriptions.ts';
import type { OpenOptions, StaleEvent } from '../../src/index.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import type { Tag } from '../../src/store/tags/tags.ts';
import { article, author, home, load, roleUid } from '../changes/content.ts';

async function openContent(options: OpenOptions = {}): Promise<Content> {
  return new Content(await load(), readOptions({ public: true, cacheTags: true, ...options }), 0);
}

const title = (id: number, text: string): Batch => ({
  entities: [{ type: author, id, data: { documentId: id === 3 ? 'ada' : 'ben', name: text } }],
  links: [],
});

const tagsOf = async (content: Content, url: string) => {
  const { headers } = await content.answer(url);
  return headers['Cache-Tag'].split(',');
};

/** Matches the tag of an id or UID. */
const digest = (type: string) => expect.stringMatching(new RegExp(`^${type}~[0-9a-f]{4}$`));

describe('the tags of a reply', () => {
  test('name its documents and what decides which they are', async () => {
    const content = await openContent();
    expect(await tagsOf(content, '/api/authors?filters[name][$contains]=a')).toEqual([
      `${author}.name`,
      `${author}:entries`,
      `${author}/ada`,
    ]);
    expect(await tagsOf(content, '/api/authors/ben')).toEqual([`${author}/ben`]);
    const { headers } = await content.answer('/api/authors?filters[name][$contains]=a');
    expect(headers['Surrogate-Key']).toBe(headers['Cache-Tag'].replaceAll(',', ' '));
  });

  test('name documents that are populated, and the lists that others own', async () => {
    const tags = await tagsOf(await openContent(), '/api/authors/ada?populate=articles');
    expect(tags).toEqual([`${author}/ada`, `${author}/ada.articles`, `${article}/one`]);
  });

  test('name no attribute of the entry that an identifier finds', async () => {
    const content = await openContent();
    expect(await tagsOf(content, '/api/authors?filters[documentId]=ada&sort=name')).toEqual([`${author}/ada`]);
    const byId = await tagsOf(content, '/api/authors?filters[id]=3&filters[name][$contains]=a&sort=name');
    expect(byId).toEqual([digest(author), `${author}/ada`]);
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    content.apply(title(7, 'Bert'));
    expect(byId.filter((tag) => events[0].tags!.includes(tag))).toEqual([]);
    content.apply(title(3, 'Bea'));
    expect(byId.filter((tag) => events[1].tags!.includes(tag))).toEqual(byId);
  });

  test('hold no character that a CDN refuses besides `:` and `/`, and are short', async () => {
    const content = await openContent();
    const tags = async (id: number, documentId: string) => {
      content.apply({ entities: [{ type: author, id, data: { documentId, name: 'x' } }], links: [] });
      return tagsOf(content, `/api/authors/${encodeURIComponent(documentId)}?populate=articles`);
    };
    expect(await tags(98, 'a, b é(*)\u{1f600}/')).toContain(`${author}/a%2C%20b%20%C3%A9%28%2a%29%F0%9F%98%80%2F`);
    const long = await tags(99, 'é'.repeat(100));
    expect(long).toHaveLength(2);
    for (const tag of long) expect(tag).toMatch(/^[\w%:/.~-]{110,128}$/);
  });

  test('show no value of an entry, nor does an event', async () => {
    const content = await openContent();
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    const urls = ['filters[name]=Ada', 'filters[name][$contains]=Ada', 'sort=name', 'filters[name][$in][0]=Ada'];
    const tags = await Promise.all(urls.map((query) => tagsOf(content, `/api/authors?${query}`)));
    content.apply(title(3, 'Confidential Merger'));
    const text = JSON.stringify([tags, events]);
    expect(text).toContain(`${author}/ada`);
    expect(text).not.toMatch(/Ada|Confidential|confid|merger/);
  });

  test('are groups of documents, and then those of the type, if they take more than 2 KB', async () => {
    const entries = {
      author: Array.from({ length: 100 }, (_, i) => ({ documentId: `${'x'.repeat(30)}${i}`, name: `${i}` })),
      home: [{ documentId: 'home', title: 'Welcome' }],
    };
    const content = new Content(await load({ entries }), readOptions({ public: true, cacheTags: true }), 0);
    expect(await tagsOf(content, '/api/authors?pagination[pageSize]=100')).toEqual([author]);
    const groups = await tagsOf(content, '/api/authors?pagination[pageSize]=60');
    expect(groups).toHaveLength(61);
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    content.apply({
      entities: [{ type: author, id: 1, data: { documentId: `${'x'.repeat(30)}0`, name: 'other' } }],
      links: [],
    });
    expect(groups.filter((tag) => events[0].tags!.includes(tag))).toEqual([
      expect.stringMatching(/^api::author.author\/~[0-9a-f]{3}$/),
    ]);
    expect(await tagsOf(content, '/api/authors?pagination[pageSize]=10')).toHaveLength(11);
  });

  test('are no more than the setting says', async () => {
    const content = await openContent({ cacheTags: 2 });
    expect(await tagsOf(content, '/api/authors/ada?populate=articles')).toEqual([author, `${article}/one`]);
    expect(await tagsOf(content, '/api/authors/ada')).toEqual([`${author}/ada`]);
    const one = await openContent({ cacheTags: 1 });
    expect(await tagsOf(one, '/api/authors/ada?populate=articles')).toEqual(['all']);
  });

  test('are left out unless the setting asks for them', async () => {
    const { headers } = await (await openContent({ cacheTags: false })).answer('/api/authors');
    expect(Object.keys(headers)).not.toContain('Cache-Tag');
    expect(Object.keys(headers)).not.toContain('Surrogate-Key');
  });

  test('stay with a cached reply', async () => {
    const content = await openContent();
    const first = await tagsOf(content, '/api/authors');
    for (let i = 0; i < 3; i++) expect(await tagsOf(content, '/api/authors')).toEqual(first);
    expect(content.history.cacheFigures.url.hits).toBeGreaterThan(0);
  });
});

describe('the version of a reply', () => {
  const versionOf = async (content: Content) => (await content.answer('/api/authors')).headers['X-Lectern-Version'];

  test('counts the batches since the base', async () => {
    const content = await openContent();
    const [epoch, sequence] = (await versionOf(content)).split('-').map(Number);
    expect(sequence).toBe(0);
    content.apply(title(3, 'Ada L.'));
    expect(await versionOf(content)).toBe(`${epoch}-1`);
    expect(content.version).toBe(`${epoch}-1`);
  });

  test('is that of the store also for a cached reply that no batch concerns', async () => {
    const content = await openContent();
    for (let i = 0; i < 3; i++) await content.answer('/api/home');
    content.apply(title(3, 'Ada L.'));
    expect((await content.answer('/api/home')).headers['X-Lectern-Version']).toBe(content.version);
  });

  test('has a greater epoch for each base', async () => {
    const content = await openContent();
    const before = content.version;
    const entries = { home: [{ documentId: 'home', title: 'Other' }] };
    content.history.replace(await load({ entries }));
    expect(Number(content.version.split('-')[0])).toBeGreaterThan(Number(before.split('-')[0]));
    expect(content.version.endsWith('-0')).toBe(true);
  });

  test('has a greater epoch for each base also after the clock was set back', async () => {
    const version = { epoch: Date.now() + 1e9, sequence: 3 };
    const content = new Content({ ...(await load()), version }, readOptions({ public: true }), 0);
    content.history.replace(await load({ entries: { home: [{ documentId: 'home', title: 'Other' }] } }));
    expect(Number(content.version.split('-')[0])).toBeGreaterThan(version.epoch);
  });
});

describe('a listener', () => {
  test('gets the names of what a batch made stale', async () => {
    const content = await openContent();
    const events: StaleEvent[] = [];
    const end = content.onStale((event) => events.push(event));
    content.apply(title(3, 'Ada L.'));
    expect(events).toEqual([{ version: content.version, tags: expect.any(Array) }]);
    expect(events[0].tags).toEqual(expect.arrayContaining(['all', author, `${author}/ada`, `${author}.name`]));
    expect(events[0].tags!.filter((tag) => tag.startsWith(article))).toEqual([]);
    end();
    content.apply(title(3, 'Ada'));
    expect(events).toHaveLength(1);
  });

  test('learns that everything may differ after another base, and after other permissions', async () => {
    const content = await openContent();
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    content.apply({
      entities: [
        { type: roleUid, id: 9, data: { documentId: 'guest', type: 'guest', name: 'Guest', permissions: [] } },
      ],
      links: [],
    });
    content.history.replace(await load({ entries: { home: [{ documentId: 'home', title: 'Other' }] } }));
    expect(events.map(({ tags }) => tags)).toEqual([null, null]);
  });

  test('that throws does not keep others from being called, nor the batch from being applied', async () => {
    const content = await openContent();
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
    const events: StaleEvent[] = [];
    content.onStale(() => {
      throw new Error('mine');
    });
    content.onStale((event) => events.push(event));
    content.apply(title(3, 'Ada L.'));
    expect(events).toHaveLength(1);
    expect(String(await thrown)).toContain('mine');
  });
});

test('an event whose names cannot be found says that everything may differ, and later ones follow', async () => {
  const changes = new ChangeFeed();
  const events: StaleEvent[] = [];
  changes.listenToNames((event) => events.push(event));
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { store } = await load();
  const stale = (tags: ReadonlySet<Tag>) => ({ before: store, after: store, tags });
  changes.publish({ version: '1-1', stale: stale(new Set([Number.NaN])) });
  changes.publish({ version: '1-2', stale: stale(new Set()) });
  expect(events).toEqual([
    { version: '1-1', tags: null },
    { version: '1-2', tags: ['all'] },
  ]);
  expect(warned).toHaveBeenCalledWith(
    expect.stringContaining('The event of 1-1 says that everything may differ: TypeError'),
  );
  warned.mockRestore();
});

describe('a subscription', () => {
  test('is called when the answer to a URL may have changed', async () => {
    const content = await openContent();
    const versions: string[] = [];
    const end = content.subscribe('/api/authors/ada', (version) => versions.push(version));
    content.apply(title(7, 'Benjamin'));
    expect(versions).toEqual([]);
    content.apply(title(3, 'Ada L.'));
    expect(versions).toEqual([content.version]);
    end();
    content.apply(title(3, 'Ada'));
    expect(versions).toHaveLength(1);
  });

  test('takes a query in place of a URL, and reads the content as it is when it is called', async () => {
    const content = await openContent();
    const found: string[] = [];
    const read = { name: 'authors', documentId: 'ada' };
    content.subscribe(read, () => found.push(content.findOne('authors', 'ada').data.name));
    content.apply(title(3, 'Ada L.'));
    content.apply(title(3, 'Ada M.'));
    expect(found).toEqual(['Ada L.', 'Ada M.']);
  });

  test('follows what the answer depends on after a change', async () => {
    const content = await openContent();
    let calls = 0;
    content.subscribe('/api/articles/one?populate=author', () => calls++);
    content.apply({
      entities: [],
      links: [
        {
          type: article,
          id: 10,
          attribute: 'author',
          targets: [{ type: author, id: 7, position: 1, inversePosition: 2 }],
        },
      ],
    });
    expect(calls).toBe(1);
    content.apply(title(7, 'Benjamin'));
    expect(calls).toBe(2);
    content.apply(title(3, 'Ada L.'));
    expect(calls).toBe(2);
  });

  test('is called when an entry that was missing exists', async () => {
    const content = await openContent();
    let calls = 0;
    content.subscribe('/api/authors/cleo', () => calls++);
    content.apply({ entities: [{ type: author, id: 8, data: { documentId: 'cleo', name: 'Cleo' } }], links: [] });
    expect(calls).toBe(1);
  });

  test('is called when the base is replaced', async () => {
    const content = await openContent();
    let calls = 0;
    content.subscribe({ name: 'home' }, () => calls++);
    content.history.replace(await load({ entries: { home: [{ documentId: 'home', title: 'Other' }] } }));
    content.apply({ entities: [{ type: home, id: 1, data: { documentId: 'home', title: 'Third' } }], links: [] });
    expect(calls).toBe(2);
  });

  test('whose listener throws is called again, and follows its answer', async () => {
    const content = await openContent();
    const thrown: unknown[] = [];
    const keep = (error: unknown) => void thrown.push(error);
    process.on('uncaughtException', keep);
    let calls = 0;
    content.subscribe('/api/articles/one?populate=author', () => {
      calls++;
      throw new Error('mine');
    });
    const targets = [{ type: author, id: 7, position: 1, inversePosition: 2 }];
    content.apply({ entities: [], links: [{ type: article, id: 10, attribute: 'author', targets }] });
    content.apply(title(7, 'Benjamin'));
    expect(calls).toBe(2);
    await new Promise(setImmediate);
    process.off('uncaughtException', keep);
    expect(thrown.map(String)).toEqual(['Error: mine', 'Error: mine']);
  });

  test('whose answer cannot be found does not keep others from being called', async () => {
    const changes = new ChangeFeed();
    const subscriptions = new Subscriptions(changes);
    const thrown: unknown[] = [];
    const keep = (error: unknown) => void thrown.push(error);
    process.on('uncaughtException', keep);
    const called: string[] = [];
    for (const name of ['a', 'b']) {
      let searches = 0;
      const tagsNow = () => {
        if (name === 'a' && searches++ > 0) throw new Error('not found');
        return new Set(['tag']);
      };
      subscriptions.add(tagsNow, () => called.push(name));
    }
    for (const version of ['1-1', '1-2']) changes.publish({ version, stale: { tags: new Set(['tag']) } as never });
    expect(called).toEqual(['a', 'b', 'a', 'b']);
    await new Promise(setImmediate);
    process.off('uncaughtException', keep);
    expect(thrown.map(String)).toEqual(['Error: not found', 'Error: not found']);
  });

  test('that another listener ends is not called any more', async () => {
    const content = await openContent();
    const called: string[] = [];
    const ends: (() => void)[] = [];
    for (const name of ['first', 'second']) {
      const end = () => {
        called.push(name);
        for (const each of ends) each();
      };
      ends.push(content.subscribe('/api/authors/ada', end), content.onStale(end));
    }
    content.apply(title(3, 'Ada L.'));
    content.apply(title(3, 'Ada M.'));
    expect(called).toEqual(['first']);
  });

  test('finds its answer again only after a change that concerns it', () => {
    const changes = new ChangeFeed();
    const subscriptions = new Subscriptions(changes);
    const found: string[] = [];
    const called: string[] = [];
    const ends = ['a', 'b', 'c'].map((tag) =>
      subscriptions.add(
        () => {
          found.push(tag);
          return new Set([tag, 'all']);
        },
        () => called.push(tag),
      ),
    );
    const publish = (...tags: string[]) => changes.publish({ version: '1-1', stale: { tags: new Set(tags) } as never });
    publish('b', 'x');
    expect([found.splice(0), called.splice(0)]).toEqual([['a', 'b', 'c', 'b'], ['b']]);
    ends[2]();
    publish('c');
    publish('all');
    changes.publish({ version: '2-0', stale: null });
    expect(called).toEqual(['a', 'b', 'a', 'b']);
  });

  test('of an unknown type or role is an error', async () => {
    const content = await openContent();
    expect(() => content.subscribe({ name: 'nosuch' }, () => {})).toThrow('No content type is served as "nosuch"');
    expect(() => content.subscribe('/api/authors', () => {}, { role: 'nosuch' })).toThrow('There is no role "nosuch"');
  });
});
