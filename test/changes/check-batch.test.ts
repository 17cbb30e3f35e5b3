import { beforeAll, describe, expect, test } from 'vitest';
import { accessAfter } from '../../src/changes/batch/access-changes.ts';
import type { Batch, BatchLinks, LinkTarget } from '../../src/changes/batch/batch.ts';
import type { BatchOptions } from '../../src/changes/batch/batch-options.ts';
import { checkBatchInSteps } from '../../src/changes/batch/check-batch.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { article, author, badge, entries, files, home, load, optionsOf, roleUid, users } from './content.ts';

let loaded: LoadedSnapshot;

beforeAll(async () => {
  await prepareDigests();
  loaded = await load();
});

/** A value that no text can be made of. */
const hostile = { toString: 1, valueOf: 1 };

const one = {
  documentId: 'one',
  locale: 'en',
  title: 'One',
  publishedAt: '2026-01-01T00:00:00.000Z',
  seo: { id: 5, metaTitle: 'first' },
  cards: [
    { id: 21, text: 'a', seo: { id: 6 } },
    { id: 22, text: 'b' },
  ],
  blocks: [
    { __component: 'shared.card', id: 23, text: 'c' },
    { __component: 'shared.seo', id: 8 },
  ],
};

function build(batch: Partial<Batch>, options: Partial<BatchOptions> = {}, from = loaded) {
  const problems = new Problems(from.tolerance, 'batch');
  const against = { ...optionsOf(from), ...options };
  const given = { entities: [], links: [], ...batch };
  const { changes } = runAtOnce(checkBatchInSteps(from.store, given, problems, against));
  return { ...changes, ...accessAfter(against, changes.access) };
}

const entity = (type: string, id: number, data: object | null) => ({ type, id, data: data as Record<string, unknown> });
const target = (type: string, id: number, position = 0): LinkTarget => ({ type, id, position, inversePosition: 0 });
const links = (type: string, id: number, attribute: string, ...targets: LinkTarget[]): BatchLinks => ({
  type,
  id,
  attribute,
  targets,
});

const idsOf = (built: ReturnType<typeof build>) =>
  Object.fromEntries(Array.from(built.built, ([uid, { ids }]) => [uid, [...ids]]));
const deletedOf = (built: ReturnType<typeof build>) =>
  Object.fromEntries(Array.from(built.deleted, ([uid, ids]) => [uid, [...ids].sort((a, b) => a - b)]));

describe('rows', () => {
  test('an empty batch changes nothing', () => {
    const built = build({});
    expect([built.built.size, built.deleted.size, built.links]).toEqual([0, 0, []]);
    expect(built.roles).toBe(loaded.roles);
    expect(built.blockedUsers).toBe(loaded.blockedUsers);
  });

  test('an entry is built with its components', () => {
    const built = build({ entities: [entity(article, 10, { ...one, title: 'Changed' })] });
    expect(idsOf(built)).toEqual({ [article]: [10], 'shared.seo': [5, 6, 8], 'shared.card': [21, 22, 23] });
    const { json, published } = built.built.get(article)!;
    expect(JSON.parse(`{${Buffer.from(json.bytes)}}`)).toMatchObject({ id: 10, title: 'Changed' });
    expect([...published!]).toEqual([1]);
    expect(built.links).toEqual([]);
    expect(deletedOf(built)).toEqual({});
  });

  test('components that are no longer part of their entry die, with theirs', () => {
    const data = { ...one, cards: [{ id: 22, text: 'b' }], blocks: [{ __component: 'shared.seo', id: 8 }] };
    const built = build({ entities: [entity(article, 10, data)] });
    expect(deletedOf(built)).toEqual({ 'shared.card': [21, 23], 'shared.seo': [6] });
    expect(built.links).toEqual([
      links(article, 10, 'cards', target('shared.card', 22)),
      links(article, 10, 'blocks', target('shared.seo', 8)),
    ]);
  });

  test('a deleted entry dies with all its components', () => {
    const built = build({ entities: [entity(article, 10, null), entity(author, 7, null)] });
    expect(built.built.size).toBe(0);
    expect(deletedOf(built)).toEqual({
      [article]: [10],
      [author]: [7],
      'shared.seo': [5, 6, 8],
      'shared.card': [21, 22, 23],
    });
  });

  test('a component moves between entries of a batch', () => {
    const next = { ...one, documentId: 'three', cards: [], blocks: [] };
    const built = build({ entities: [entity(article, 10, null), entity(article, 20, next)] });
    expect(deletedOf(built)).toEqual({ [article]: [10], 'shared.seo': [6, 8], 'shared.card': [21, 22, 23] });
    expect(idsOf(built)).toEqual({ [article]: [20], 'shared.seo': [5] });
    expect(built.links).toEqual([links(article, 20, 'seo', target('shared.seo', 5))]);
  });
});

describe('links', () => {
  test('lists that differ from the store are replaced', () => {
    const batch = [
      links(article, 10, 'author', target(author, 7)),
      links(article, 13, 'author', target(author, 7)),
      links('shared.card', 22, 'author', target(author, 3)),
      links(article, 13, 'subjects', target(author, 3, 1), target(article, 10)),
    ];
    expect(build({ links: batch }).links).toEqual([batch[0], batch[2], batch[3]]);
  });

  test('lists may lead from and to entries of the batch', () => {
    const added = entity(author, 9, { documentId: 'cai', name: 'Cai' });
    const list = links(article, 10, 'author', target(author, 9));
    expect(build({ entities: [added], links: [list] }).links).toEqual([list]);
  });

  test('positions among sources that nothing lists are 0', () => {
    const list = links(article, 13, 'related', { ...target(article, 10), inversePosition: 4 });
    expect(build({ links: [list] }).links).toEqual([links(article, 13, 'related', target(article, 10))]);
  });
});

describe('users, roles and files', () => {
  test('users are blocked, unblocked and deleted', () => {
    const user = (id: number, documentId: string, blocked: boolean) => entity(users, id, { documentId, blocked });
    expect([...build({ entities: [user(2, 'u2', true)] }).blockedUsers]).toEqual(['u1', 'u2']);
    expect([...build({ entities: [user(1, 'u1', false)] }).blockedUsers]).toEqual([]);
    expect([...build({ entities: [entity(users, 1, null)] }).blockedUsers]).toEqual([]);
  });

  test('roles of a JSON snapshot are entities with permissions', () => {
    const role = (id: number, type: string, permissions: unknown) =>
      entity(roleUid, id, { documentId: type, type, name: type, permissions });
    const { roles } = build({ entities: [role(1, 'public', []), role(9, 'author', [`${author}.find`])] });
    expect(roles).toEqual([
      { type: 'public', name: 'public', permissions: [] },
      { type: 'editor', name: 'Editor', permissions: [] },
      { type: 'author', name: 'author', permissions: [`${author}.find`] },
    ]);
    expect(build({ entities: [entity(roleUid, 2, null)] }).roles.map(({ type }) => type)).toEqual(['public']);
    expect(() => build({ entities: [role(1, 'public', ['nonsense'])] })).toThrow(/the permission "nonsense"/);
    expect(() => build({ entities: [role(1, 'public', undefined)] })).toThrow(/permissions: is required/);
    const exchanged = build({
      entities: [
        entity(roleUid, 1, { documentId: 'public', type: 'editor', permissions: [`${author}.find`] }),
        entity(roleUid, 2, { documentId: 'editor', type: 'public', permissions: [] }),
      ],
    }).roles;
    expect(exchanged.map(({ type, permissions }) => [type, permissions.length])).toEqual([
      ['editor', 1],
      ['public', 0],
    ]);
    const second = { type: roleUid, id: 9, data: { documentId: 'other', type: 'public', permissions: [] } };
    expect(() => build({ entities: [second] })).toThrow(`${roleUid} 9: another role has the type "public"`);
    expect(build({ entities: [entity(roleUid, 1, null), second] }).roles.map(({ type }) => type)).toEqual([
      'editor',
      'public',
    ]);
  });

  test('names of new files are added, and those of deleted and replaced files go', () => {
    const file = (id: number, hash: string) => entity(files, id, { documentId: 'f', hash, ext: '.png' });
    const before = new Set(['cover_1.png', 'other.png']);
    const namesAfter = (...entities: Batch['entities'][number][]) =>
      [...build({ entities }, { uploadNames: before }).uploadNames!].sort();
    expect(namesAfter(file(4, 'new'))).toEqual(['cover_1.png', 'new.png', 'other.png']);
    expect(namesAfter(entity(files, 1, null))).toEqual(['other.png']);
    expect(namesAfter(entity(files, 1, { documentId: 'cover-1', hash: 'new', ext: '.png' }))).toEqual([
      'new.png',
      'other.png',
    ]);
    expect(namesAfter(entity(files, 1, null), file(4, 'cover_1'))).toEqual(['cover_1.png', 'other.png']);
    expect(build({ entities: [file(4, 'other')] }, { uploadNames: before }).uploadNames).toBe(before);
  });

  test('a name stays if another file has the same hash', async () => {
    const file = { hash: 'same', ext: '.png', url: '/uploads/same.png' };
    const twice = [
      { documentId: 'cover-1', ...file },
      { documentId: 'cover-2', ...file },
    ];
    const from = await load({ entries: { ...entries, file: twice } });
    const uploadNames = new Set(['same.png']);
    const deletion = (id: number) => entity(files, id, null);
    expect(build({ entities: [deletion(2)] }, { uploadNames }, from).uploadNames).toBe(uploadNames);
    expect(build({ entities: [deletion(1), deletion(2)] }, { uploadNames }, from).uploadNames!.size).toBe(0);
  });
});

describe('mistakes', () => {
  const author3 = { documentId: 'ada', name: 'Ada' };
  const cases: [string, Partial<Batch>, string][] = [
    [
      'an unknown type',
      { entities: [entity('api::x.x', 1, {})] },
      'entities[0], api::x.x 1: "api::x.x" is no content type',
    ],
    [
      'a component',
      { entities: [entity('shared.seo', 5, {})] },
      'entities[0], shared.seo 5: "shared.seo" is a component: components are part of their entry',
    ],
    ['an administrator', { entities: [entity('admin::user', 5, {})] }, '"admin::user" is no content type'],
    [
      'a wrong value',
      { entities: [entity(article, 13, { documentId: 'two', rating: 'x' })] },
      `entities[0], ${article} 13, attribute rating: expected`,
    ],
    ['a deletion of nothing', { entities: [entity(author, 4, null)] }, `entities[0], ${author} 4: no author with id 4`],
    [
      'an entry twice',
      { entities: [entity(author, 3, author3), entity(author, 3, null)] },
      `entities[1], ${author} 3: the batch names ${author} 3 twice`,
    ],
    [
      'another documentId',
      { entities: [entity(author, 3, { documentId: 'x' })] },
      'the entry belongs to document "ada", not "x"',
    ],
    ['no documentId', { entities: [entity(author, 30, {})] }, '"documentId" is missing'],
    [
      'a component without an id',
      { entities: [entity(article, 13, { documentId: 'two', seo: {} })] },
      `entities[0], ${article} 13, attribute seo: "id" is missing`,
    ],
    [
      'a component of another entry',
      { entities: [entity(article, 13, { documentId: 'two', seo: { id: 5 } })] },
      `${article} 13, attribute seo: the component shared.seo with id 5 belongs to another entry`,
    ],
    [
      'a component twice',
      { entities: [entity(article, 13, { documentId: 'two', cards: [{ id: 90 }, { id: 90 }] })] },
      'attribute cards[1]: the id 90 is given twice',
    ],
    [
      'a wrong component',
      { entities: [entity(article, 13, { documentId: 'two', blocks: [{ __component: 'x', id: 90 }] })] },
      '"__component" must be one of',
    ],
    [
      'a second document of a single type',
      { entities: [entity(home, 9, { documentId: 'other' })] },
      `${home}: the single type has 2 documents instead of one; the first is "home"`,
    ],
    [
      'a link of an unknown type',
      { links: [links('api::x.x', 1, 'a')] },
      'links[0], api::x.x 1, attribute a: there is no type "api::x.x"',
    ],
    ['a link of an unknown attribute', { links: [links(author, 3, 'a')] }, 'there is no such attribute'],
    ['a link of a value', { links: [links(author, 3, 'name')] }, 'the attribute holds a value, not links'],
    ['a link of a component', { links: [links(article, 10, 'seo')] }, 'components are part of "data" of their entry'],
    [
      'a link of an inverse side',
      { links: [links(author, 3, 'articles')] },
      'attribute "articles" is derived from its owning side: set "author" of api::article.article instead',
    ],
    [
      'a link of nothing',
      { links: [links(article, 1, 'author')] },
      `links[0], ${article} 1, attribute author: no article with id 1`,
    ],
    [
      'a link to nothing',
      { links: [links(article, 10, 'author', target(author, 4))] },
      'attribute author, targets[0]: no author with id 4',
    ],
    [
      'a link to a deleted entry',
      { entities: [entity(author, 7, null)], links: [links(article, 10, 'author', target(author, 7))] },
      'no author with id 7',
    ],
    [
      'a link from a deleted component',
      { entities: [entity(article, 10, null)], links: [links('shared.card', 22, 'author')] },
      'no card with id 22',
    ],
    [
      'a link to another type',
      { links: [links(article, 10, 'author', target(article, 10))] },
      'the attribute targets api::author.author, not api::article.article',
    ],
    [
      'a link to a component',
      { links: [links(article, 10, 'subjects', target('shared.seo', 5))] },
      '"shared.seo" is no content type',
    ],
    [
      'an inverse attribute of a plain relation',
      { links: [links(article, 10, 'author', { ...target(author, 7), inverse: 'x' })] },
      '"inverse" needs a polymorphic list',
    ],
    [
      'an inverse attribute that the target lacks',
      { links: [links(article, 10, 'subjects', { ...target(author, 7), inverse: 'nonsense' })] },
      `attribute subjects, targets[0]: ${author} has no attribute "nonsense" to show the link`,
    ],
    [
      'a second entry of one version',
      { entities: [entity(article, 99, { documentId: 'one', locale: 'fr', publishedAt: '2026-01-01T00:00:00.000Z' })] },
      `entities[0], ${article} 99: a second entry of document "one" with the same status and locale`,
    ],
    [
      'an unknown locale',
      { entities: [entity(article, 99, { documentId: 'new', locale: 'xx' })] },
      `entities[0], ${article} 99: "locale" must be one of en, fr, not "xx"`,
    ],
    [
      'an id that leaves few for later rows',
      { entities: [entity(author, Number.MAX_SAFE_INTEGER, { documentId: 'x' })] },
      'the id 9007199254740991 is too large for a new row: the limit is 4503599627370496',
    ],
    [
      'an id of a component that is no number',
      { entities: [entity(article, 13, { documentId: 'two', seo: { id: hostile } })] },
      'attribute seo: "id" must be a positive integer, not {"toString":1,"valueOf":1}',
    ],
    [
      'a list twice',
      { links: [links(article, 10, 'author'), links(article, 10, 'author')] },
      'links[1], api::article.article 10, attribute author: the batch names the list twice',
    ],
    [
      'two owners',
      { links: [links(article, 13, 'badge', target(badge, 1))] },
      `${article}, attribute badge: "one" and "two" both link to "gold"`,
    ],
  ];
  test.each(cases)('%s is an error', (_, batch, message) => {
    expect(() => build(batch)).toThrow(message);
    expect(() => build(batch)).toThrow(/^the batch has 1 problem:/);
  });

  test('an entry that is published may not share the target of another one', async () => {
    const draft = { id: 14, documentId: 'three', locale: 'en', status: 'draft', badge: 'gold' };
    const from = await load({ entries: { ...entries, article: [...entries.article, draft] } as never });
    const data = { documentId: 'three', locale: 'en', publishedAt: '2026-01-01T00:00:00.000Z' };
    const message = `${article}, attribute badge: "one" and "three" both link to "gold"`;
    expect(() => build({ entities: [entity(article, 14, data)] }, {}, from)).toThrow(message);
    const moved = [links(article, 14, 'badge')];
    expect(build({ entities: [entity(article, 14, data)], links: moved }, {}, from).links).toEqual(moved);
  });

  test('entries of a batch may have a locale that it adds', () => {
    const entities = [
      entity('plugin::i18n.locale', 5, { documentId: 'de', code: 'de' }),
      entity(article, 99, { documentId: 'new', locale: 'de' }),
    ];
    expect(idsOf(build({ entities }))[article]).toEqual([99]);
  });

  test('ids that follow a large one are not too large', async () => {
    const id = Number.MAX_SAFE_INTEGER - 5;
    const from = await load({ entries: { ...entries, badge: [{ documentId: 'gold', id }] } as never });
    expect(idsOf(build({ entities: [entity(badge, id + 1, { documentId: 'x' })] }, {}, from))[badge]).toEqual([id + 1]);
  });

  test('a target moves between two owners in one batch', () => {
    const lists = [links(article, 10, 'badge'), links(article, 13, 'badge', target(badge, 1))];
    expect(build({ links: lists }).links).toEqual(lists);
  });

  test('a document has at most 2,000 entries', () => {
    const entities = Array.from({ length: 2000 }, (_, i) => entity(article, 100 + i, { documentId: 'two' }));
    const exported = { ...optionsOf(loaded), kind: 'strapi' } as const;
    expect(() => build({ entities }, exported)).toThrow(`${article}: the document "two" has more than 2000 entries`);
    expect(idsOf(build({ entities: entities.slice(1) }, exported))[article]).toHaveLength(1999);
  });

  test('mistakes that Strapi accepts are warnings in a tolerant load', async () => {
    const tolerant = await load({ entries }, 'tolerant');
    const problems = new Problems('tolerant', 'batch');
    const batch = { entities: [entity(article, 13, { documentId: 'two', rating: 'x' })], links: [] };
    runAtOnce(checkBatchInSteps(tolerant.store, batch, problems, optionsOf(tolerant)));
    expect(problems.warnings).toMatchObject([{ kind: 'wrong-value', count: 1 }]);
    const dangling = { links: [links(article, 10, 'author', target(author, 4))] };
    expect(() => build(dangling, {}, tolerant)).toThrow('no author with id 4');
  });
});
