import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { author, entries, load } from '../changes/content.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';

test('a request that waits while entries change leaves no old reply in the cache', async () => {
  const roles = [
    { type: 'public', permissions: [] },
    { type: 'editor', name: 'Editor', permissions: [`${author}.find`] },
  ];
  const user = [1, 2].map((id) => ({ id, documentId: `u${id}`, username: `u${id}`, confirmed: true, role: 'editor' }));
  const loaded = await load({ roles, entries: { ...entries, user } } as Partial<JsonSnapshot>);
  const content = new Content(loaded, readOptions({ jwtSecret }), 0);
  const ask = async (id: number) => {
    const { body } = await content.answer('/api/authors?fields=name', { authorization: `Bearer ${jwtOf(id)}` });
    return String(body);
  };
  for (let time = 0; time < 3; time++) await ask(1);
  const waiting = ask(2);
  content.apply({ entities: [{ type: author, id: 3, data: { documentId: 'ada', name: 'Ada L.' } }], links: [] });
  expect(await waiting).toContain('Ada');
  for (let time = 0; time < 3; time++) expect(await ask(1)).toContain('Ada L.');
});

const relation = (target: string, inverse: object) => ({
  type: 'relation',
  relation: 'manyToMany',
  target,
  ...inverse,
});

test('a change of another entry does not make a query cost more than its budget', async () => {
  const [articleUid, writerUid] = ['api::article.article', 'api::writer.writer'];
  const contentTypes = [
    {
      info: { singularName: 'article', pluralName: 'articles' },
      attributes: { writers: relation(writerUid, { inversedBy: 'articles' }) },
    },
    {
      info: { singularName: 'writer', pluralName: 'writers' },
      attributes: { name: { type: 'string' }, articles: relation(articleUid, { mappedBy: 'writers' }) },
    },
  ];
  // one writer has written everything
  const writersOf = (i: number) => [...new Set([`w${i % 200}`, 'w0'])];
  const snapshot = {
    contentTypes,
    entries: {
      writer: Array.from({ length: 200 }, (_, i) => ({ id: i + 1, documentId: `w${i}`, name: `n${i}` })),
      article: Array.from({ length: 4000 }, (_, i) => ({ id: i + 1, documentId: `a${i}`, writers: writersOf(i) })),
    },
  };
  const content = new Content(
    await loadSnapshot(snapshot as unknown as JsonSnapshot),
    readOptions({ public: true }),
    0,
  );
  const url = '/api/articles?filters[writers][name]=n7';
  const before = content.explain(url).cost!.total;
  content.apply({ entities: [{ type: writerUid, id: 5, data: { documentId: 'w4', name: 'other' } }], links: [] });
  expect(content.explain(url).cost!.total).toBeLessThan(before * 2);
});

const named = (name: string) => ({
  entities: [{ type: author, id: 3, data: { documentId: 'ada', name } }],
  links: [],
});

test('a change that a listener makes reaches all listeners after the one before', async () => {
  const content = new Content(await load(), readOptions({ public: true }), 0);
  const seen: string[] = [];
  let isFirst = true;
  content.onStale(() => {
    if (!isFirst) return;
    isFirst = false;
    content.apply(named('Second'));
  });
  content.onStale(({ version }) => seen.push(version.split('-')[1]!));
  content.apply(named('First'));
  expect(seen).toEqual(['1', '2']);
});

test('a subscription to a type that another base lacks is called, and throws nothing', async () => {
  const content = new Content(await load(), readOptions({ public: true }), 0);
  let calls = 0;
  content.subscribe({ name: 'badges' }, () => calls++);
  const contentTypes = [
    { info: { singularName: 'note', pluralName: 'notes' }, attributes: { text: { type: 'string' } } },
  ];
  const other = { contentTypes, entries: { note: [{ documentId: 'a', text: 'a' }] } };
  content.history.replace(await loadSnapshot(other as unknown as JsonSnapshot));
  expect(calls).toBe(1);
});

test('a batch of very many changes makes everything stale, and names nothing', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 2 }, (_, i) => [`a${i}`, { type: 'string' }]));
  const contentTypes = [{ info: { singularName: 'thing', pluralName: 'things' }, attributes }];
  const values = (text: string) => Object.fromEntries(Object.keys(attributes).map((name) => [name, `${text} ${name}`]));
  const thing = Array.from({ length: 10_000 }, (_, i) => ({ id: i + 1, documentId: `d${i}`, ...values(`old ${i}`) }));
  const loaded = await loadSnapshot({ contentTypes, entries: { thing } } as unknown as JsonSnapshot);
  const content = new Content(loaded, readOptions({ public: true }), 0);
  const events: (readonly string[] | null)[] = [];
  content.onStale(({ tags }) => events.push(tags));
  const url = '/api/things/d7?fields=a1';
  for (let time = 0; time < 3; time++) await content.answer(url);
  const entities = thing.map(({ id, documentId }) => ({
    type: 'api::thing.thing',
    id,
    data: { documentId, ...values(`new ${id}`) },
  }));
  content.apply({ entities, links: [] });
  expect(events).toEqual([null]);
  expect(String((await content.answer(url)).body)).toContain('new 8 a1');
  content.apply({ entities: [{ ...entities[0]!, data: { documentId: 'd0', ...values('one') } }], links: [] });
  expect(events[1]).toContain('api::thing.thing/d0');
});
