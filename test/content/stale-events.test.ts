// Replies name what they depend on, and listeners learn what a batch made stale.
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/changes/batch.ts';
import { readOptions } from '../../src/config/read-config.ts';
import { Content } from '../../src/content.ts';
import type { OpenOptions, StaleEvent } from '../../src/index.ts';
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

  test('name no more of a text than decides about the reply', async () => {
    const content = await openContent();
    expect(await tagsOf(content, '/api/authors?filters[name][$containsi]=aDA')).toEqual([
      `${author}.name~`,
      `${author}.name~ada`,
      `${author}:entries`,
      `${author}/ada`,
    ]);
    // Ada is the last: only names up to `Ad` count
    const tags = await tagsOf(content, '/api/authors?sort=name&pagination[limit]=1');
    expect(tags).toContain(`${author}.name@null`);
    expect(tags).not.toContain(`${author}.name`);
    const events: StaleEvent[] = [];
    content.onStale((event) => events.push(event));
    content.apply(title(7, 'Bert'));
    expect(tags.filter((tag) => events[0].tags!.includes(tag))).toEqual([]);
    content.apply(title(7, 'Aaron'));
    expect(tags.filter((tag) => events[1].tags!.includes(tag))).not.toEqual([]);
  });

  test('name other values only of the entries that have the value of an $eq', async () => {
    const content = await openContent();
    const tags = await tagsOf(content, '/api/articles?filters[title]=Two&sort=rating');
    expect(tags).toEqual([`${article}.title=Two+rating`, `${article}.title=Two`, `${article}/two`]);
  });

  test('hold neither commas nor blanks, and only ASCII', async () => {
    const url = `/api/authors?filters[name]=${encodeURIComponent('a, b é\u{1f600}/')}`;
    expect(await tagsOf(await openContent(), url)).toEqual([`${author}.name=a%2C%20b%20%C3%A9%F0%9F%98%80%2F`]);
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

  test('are left out unless the setting asks for them', async () => {
    const { headers } = await (await openContent({ cacheTags: false })).answer('/api/authors');
    expect(Object.keys(headers)).not.toContain('Cache-Tag');
    expect(Object.keys(headers)).not.toContain('Surrogate-Key');
  });

  test('stay with a cached reply', async () => {
    const content = await openContent();
    const first = await tagsOf(content, '/api/authors');
    for (let i = 0; i < 3; i++) expect(await tagsOf(content, '/api/authors')).toEqual(first);
    expect(content.cacheFigures.url.hits).toBeGreaterThan(0);
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
    content.replace(await load({ entries }));
    expect(Number(content.version.split('-')[0])).toBeGreaterThan(Number(before.split('-')[0]));
    expect(content.version.endsWith('-0')).toBe(true);
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
    expect(events[0].tags).toEqual(expect.arrayContaining([`${author}.name=Ada`, `${author}.name=Ada%20L.`]));
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
    content.replace(await load({ entries: { home: [{ documentId: 'home', title: 'Other' }] } }));
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
    content.replace(await load({ entries: { home: [{ documentId: 'home', title: 'Other' }] } }));
    content.apply({ entities: [{ type: home, id: 1, data: { documentId: 'home', title: 'Third' } }], links: [] });
    expect(calls).toBe(2);
  });

  test('of an unknown type or role is an error', async () => {
    const content = await openContent();
    expect(() => content.subscribe({ name: 'nosuch' }, () => {})).toThrow('No content type is served as "nosuch"');
    expect(() => content.subscribe('/api/authors', () => {}, { role: 'nosuch' })).toThrow('There is no role "nosuch"');
  });
});
