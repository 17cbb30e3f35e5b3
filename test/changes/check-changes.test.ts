import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Batch, batchLimits } from '../../src/changes/batch/batch.ts';
import { checkBatchInSteps } from '../../src/changes/batch/check-batch.ts';
import { checkChangesInSteps } from '../../src/changes/batch/check-changes.ts';
import type { Change } from '../../src/changes/batch/json-change.ts';
import { ChangePlan } from '../../src/changes/batch/plan-changes.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { mergeDeltaInSteps } from '../../src/store/overlay/merge-delta.ts';
import type { Store } from '../../src/store/store.ts';
import { article, author, badge, definitions, entries, home, load, optionsOf, roleUid, users } from './content.ts';

let loaded: LoadedSnapshot;

beforeAll(async () => {
  loaded = await load();
});

function prepare(changes: unknown, from = loaded, store = from.store): Batch {
  return runAtOnce(checkChangesInSteps(store, changes, new Problems(from.tolerance, 'batch'), optionsOf(from))).batch;
}

/** A store with the rows of a batch, but without its links. */
function rowsAfter(batch: Batch): Store {
  const { store } = loaded;
  const { changes } = runAtOnce(checkBatchInSteps(store, batch, new Problems('strict', 'batch'), optionsOf(loaded)));
  const { built, deleted } = changes;
  const segments = store.segments.map((segment) => {
    const { uid } = segment.collection.type;
    const ids = segment.collection.columns.get('id')!;
    const rows = Array.from(deleted.get(uid) ?? [], (id) => ids.dictionary.find(id));
    return built.has(uid) || rows.length > 0
      ? runAtOnce(mergeDeltaInSteps(segment, built.get(uid) ?? null, rows))
      : segment;
  });
  return { ...store, segments };
}

const upsert = (type: string, entry: object): Change => ({ upsert: type, entry: entry as Record<string, unknown> });
const [one] = entries.article;
const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (name === 'id' ? [] : [[name, withoutIds(inner)]])),
  );
};

describe('an upsert', () => {
  test('may have a documentId of 255 characters, or a longer one that was loaded', async () => {
    const documentId = 'x'.repeat(300);
    const added = [...entries.author, { documentId }];
    const from = await load({ entries: { ...entries, author: added } });
    expect(prepare([upsert(author, { documentId, name: 'Long' })], from).entities[0].data).toMatchObject({
      documentId,
    });
    expect(prepare([upsert(author, { documentId: 'x'.repeat(255) })]).entities).toHaveLength(1);
  });

  test('of an entry as it is changes no links and keeps all ids', () => {
    const { entities, links } = prepare([upsert(article, withoutIds(one) as object)]);
    expect(links).toEqual([]);
    expect(entities).toEqual([
      {
        type: article,
        id: 10,
        data: {
          documentId: 'one',
          locale: 'en',
          createdAt: '2026-01-01T00:00:00.000Z',
          publishedAt: '2026-01-01T00:00:00.000Z',
          title: 'One',
          rating: 4,
          seo: { id: 5, metaTitle: 'first' },
          cards: [
            { id: 21, text: 'a', seo: { id: 6, metaTitle: 'in card' } },
            { id: 22, text: 'b' },
          ],
          blocks: [
            { __component: 'shared.card', id: 23, text: 'c' },
            { __component: 'shared.seo', id: 8, metaTitle: 'last' },
          ],
        },
      },
    ]);
  });

  test('of a known document, locale and status keeps its id', () => {
    const idOf = (entry: object) => prepare([upsert(article, { documentId: 'one', ...entry })]).entities[0].id;
    expect(idOf({})).toBe(10);
    expect(idOf({ locale: 'en', status: 'draft' })).toBe(11);
    expect(idOf({ locale: 'fr' })).toBe(12);
    expect(idOf({ locale: 'fr', status: 'draft' })).toBe(14);
  });

  test('gives new rows ids above all ever used', () => {
    const changes = [upsert(author, { documentId: 'x' }), upsert(author, { documentId: 'y' })];
    expect(prepare(changes).entities.map(({ id }) => id)).toEqual([8, 9]);
    const given = [upsert(author, { documentId: 'x' }), upsert(author, { documentId: 'y', id: 30 })];
    expect(prepare(given).entities.map(({ id }) => id)).toEqual([31, 30]);
    const deleted = rowsAfter(prepare([{ delete: author, documentId: 'ben' }]));
    expect(prepare(changes, loaded, deleted).entities.map(({ id }) => id)).toEqual([8, 9]);
    const added = rowsAfter(prepare([upsert(author, { documentId: 'x', id: 50 })]));
    expect(prepare([upsert(author, { documentId: 'y' })], loaded, added).entities[0].id).toBe(51);
    expect(prepare([upsert(author, { documentId: 'x' })], loaded, added).entities[0].id).toBe(50);
  });

  test('gives components the ids of those at the same position with the same type', () => {
    const { entities } = prepare([
      upsert(article, {
        documentId: 'one',
        cards: [{ text: 'x' }, { text: 'y', seo: {} }, { text: 'z', seo: {} }],
        blocks: [{ __component: 'shared.seo' }, { __component: 'shared.seo' }],
      }),
    ]);
    expect(entities[0].data).toMatchObject({
      cards: [{ id: 21 }, { id: 22, seo: { id: 9 } }, { id: 24, seo: { id: 10 } }],
      blocks: [{ id: 11 }, { id: 8 }],
    });
  });

  test('may give the ids of components', () => {
    const { entities } = prepare([
      upsert(article, { documentId: 'one', cards: [{ id: 22 }, { id: 40 }, {}], seo: { id: 5 } }),
    ]);
    expect(entities[0].data).toMatchObject({ cards: [{ id: 22 }, { id: 40 }, { id: 41 }], seo: { id: 5 } });
  });

  test('keeps that an entry without a date is published, if it is sent back as it was read', () => {
    const publishedAt = null;
    const read = { documentId: 'two', status: 'published', publishedAt };
    expect(prepare([upsert(article, read)]).entities[0]).toMatchObject({ id: 13, published: true });
    expect(prepare([upsert(article, { documentId: 'two', status: 'draft' })]).entities[0]).not.toHaveProperty(
      'published',
    );
  });

  test('of a published entry without a date gets that of its creation, or that of the request', () => {
    const [at, createdAt] = ['2026-03-01T12:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const dateOf = (entry: object) =>
      prepare([{ upsert: article, entry: { documentId: 'new', ...entry }, at }]).entities[0].data!.publishedAt;
    expect(dateOf({})).toBe(at);
    expect(dateOf({ createdAt })).toBe(createdAt);
    // a draft that the API answered with, sent as published
    expect(dateOf({ createdAt, publishedAt: null, status: 'published' })).toBe(at);
    expect(dateOf({ documentId: 'two', publishedAt: createdAt })).toBe(createdAt);
    expect(dateOf({ status: 'draft' })).toBeUndefined();
    expect(prepare([{ upsert: author, entry: { documentId: 'new' }, at }]).entities[0].data).not.toHaveProperty(
      'publishedAt',
    );
    const before = Date.now();
    const now = prepare([upsert(article, { documentId: 'new' })]).entities[0].data!.publishedAt as string;
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before);
  });

  test('with a null publishedAt and without a status is a draft, as the API answers with it', () => {
    expect(prepare([upsert(article, { documentId: 'one', publishedAt: null })]).entities[0].id).toBe(11);
  });

  test('leaves private values out, but for the block of a user', () => {
    const changes = [
      upsert(article, { documentId: 'two', status: 'draft', secret: 'x' }),
      upsert(users, { documentId: 'u2', password: 'x', blocked: true }),
    ];
    const { entities } = prepare(changes);
    expect(entities.map(({ data }) => data)).toEqual([
      { documentId: 'two', locale: 'en' },
      { documentId: 'u2', blocked: true },
    ]);
  });

  test('replaces the links of all attributes', () => {
    const batch = prepare([upsert(article, { documentId: 'one', author: 'ben', cards: [{}, {}, {}], seo: {} })]);
    const list = (type: string, id: number, attribute: string, ...targets: object[]) => ({
      type,
      id,
      attribute,
      targets,
    });
    expect(batch.links).toEqual([
      list(article, 10, 'author', { type: author, id: 7, position: 0, inversePosition: 0 }),
      list(article, 10, 'related'),
      list(article, 10, 'badge'),
      list(article, 10, 'cover'),
      list('shared.card', 21, 'author'),
      list('shared.seo', 5, 'picture'),
    ]);
  });
});

describe('references', () => {
  test('find the entries of their status and locale after the last change', () => {
    const changes = [
      upsert(article, {
        documentId: 'new',
        related: ['two', 'one', 'later'],
        subjects: [{ __type: author, documentId: 'x' }],
      }),
      upsert(author, { documentId: 'x' }),
      upsert(article, { documentId: 'later', locale: 'fr' }),
      upsert(article, { documentId: 'later' }),
    ];
    const targets = (attribute: string) =>
      prepare(changes)
        .links.find((list) => list.attribute === attribute)!
        .targets.map(({ id, position }) => [id, position]);
    expect(targets('related')).toEqual([
      [13, 0],
      [10, 1],
      [16, 2],
    ]);
    expect(targets('subjects')).toEqual([[8, 0]]);
  });

  test('of an entry without drafts and locales find both statuses of the default locale', async () => {
    const from = await load({
      contentTypes: [
        ...definitions.contentTypes,
        {
          info: { singularName: 'list', pluralName: 'lists' },
          attributes: { items: { type: 'relation', relation: 'oneToMany', target: article } },
        },
      ],
    });
    const { links } = prepare([upsert('api::list.list', { documentId: 'l', items: ['one', 'two'] })], from);
    expect(links[0].targets.map(({ id, position }) => [id, position])).toEqual([
      [10, 0],
      [11, 0],
      [13, 1],
    ]);
  });
});

describe('several changes of a document', () => {
  test('the last upsert wins', () => {
    const { entities } = prepare([
      upsert(author, { documentId: 'ada', name: 'A' }),
      upsert(author, { documentId: 'x' }),
      upsert(author, { documentId: 'ada', name: 'B' }),
    ]);
    expect(entities).toEqual([
      { type: author, id: 8, data: { documentId: 'x' } },
      { type: author, id: 3, data: { documentId: 'ada', name: 'B' } },
    ]);
  });

  test('a deletion after an upsert deletes, and an upsert after a deletion is a new entry', () => {
    const deletion = { delete: author, documentId: 'ada' };
    const change = upsert(author, { documentId: 'ada' });
    expect(prepare([change, deletion]).entities).toEqual([{ type: author, id: 3, data: null }]);
    expect(prepare([deletion, change]).entities).toEqual([
      { type: author, id: 8, data: { documentId: 'ada' } },
      { type: author, id: 3, data: null },
    ]);
    expect(prepare([upsert(author, { documentId: 'x' }), { delete: author, documentId: 'x' }]).entities).toEqual([]);
  });

  test('a deletion is of all entries, of a locale or of a status', () => {
    const idsOf = (deletion: object) =>
      prepare([{ delete: article, documentId: 'one', ...deletion }])
        .entities.map(({ id }) => id)
        .sort();
    expect(idsOf({})).toEqual([10, 11, 12]);
    expect(idsOf({ locale: 'en' })).toEqual([10, 11]);
    expect(idsOf({ status: 'published' })).toEqual([10, 12]);
    expect(idsOf({ locale: 'en', status: 'draft' })).toEqual([11]);
  });
});

test.each(['constructor', 'toString', 'hasOwnProperty'])('an attribute may be named %s', async (name) => {
  const attributes = { [name]: { type: 'component', component: 'a.b', repeatable: true } };
  const entry = {
    documentId: 'a',
    [name]: [
      { id: 1, t: 'x' },
      { id: 2, t: 'y' },
    ],
  };
  const from = await load({
    contentTypes: [{ info: { singularName: 'thing', pluralName: 'things' }, attributes }],
    components: { 'a.b': { attributes: { t: { type: 'string' } } } },
    entries: { thing: [entry] },
    roles: [],
  } as never);
  const { entities } = prepare([upsert('api::thing.thing', entry)], from);
  expect(entities[0].data).toEqual(entry);
});

test('roles are changed as in the roles of a snapshot', () => {
  const role = { type: 'public', name: 'Public', permissions: [`${author}.find`] };
  const batch = prepare([upsert(roleUid, role), { delete: roleUid, documentId: 'editor' }]);
  expect(batch.entities).toEqual([
    { type: roleUid, id: 1, data: { documentId: 'public', ...role } },
    { type: roleUid, id: 2, data: null },
  ]);
  const { changes } = runAtOnce(
    checkBatchInSteps(loaded.store, batch, new Problems('strict', 'batch'), optionsOf(loaded)),
  );
  expect(changes.access.roles).toEqual([role]);
});

describe('mistakes', () => {
  const cases: [string, unknown, string][] = [
    ['no list', {}, 'changes: expected a list, not {}'],
    [
      'no change',
      [{ update: 'x' }],
      'changes[0]: expected an object with "upsert", "patch" or "delete", not {"update":"x"}',
    ],
    ['an unknown key', [{ delete: author, documentId: 'ada', id: 1 }], 'changes[0]: id: unknown key'],
    [
      'a wrong status',
      [{ delete: article, documentId: 'one', status: 'old' }],
      'changes[0]: status: must be draft or published, is "old"',
    ],
    [
      'a status of a type without drafts',
      [{ delete: author, documentId: 'ada', status: 'draft' }],
      'changes[0]: "status" needs a type with draftAndPublish',
    ],
    [
      'an unknown locale',
      [{ delete: article, documentId: 'one', locale: 'de' }],
      'changes[0]: "locale" must be one of en, fr, not "de"',
    ],
    [
      'an unknown locale of an entry',
      [upsert(article, { documentId: 'one', locale: 'de' })],
      'changes[0].entry: "locale" must be one of en, fr, not "de"',
    ],
    [
      'an unknown type',
      [upsert('api::autor.autor', {})],
      'changes[0]: "api::autor.autor" is no content type (did you mean "api::author.author"?)',
    ],
    ['a component', [upsert('shared.seo', {})], 'changes[0]: "shared.seo" is a component'],
    ['no documentId', [upsert(author, {})], 'changes[0].entry: "documentId" must be a non-empty string, not undefined'],
    [
      'a documentId that is too long',
      [upsert(author, { documentId: 'x'.repeat(256) })],
      'changes[0].entry: "documentId" has 256 characters; the limit is 255',
    ],
    ['no entry', [{ upsert: author }], 'changes[0]: entry: is required'],
    [
      'a wrong value',
      [upsert(author, { documentId: 'x' }), upsert(article, { documentId: 'x', rating: 'x' })],
      'changes[1].entry, attribute rating: expected',
    ],
    [
      'a wrong value of a component',
      [upsert(article, { documentId: 'one', cards: [{ seo: { metaTitle: 4 } }] })],
      'changes[0].entry, attribute cards[0], attribute seo, attribute metaTitle: expected',
    ],
    [
      'an unknown attribute',
      [upsert(author, { documentId: 'x', nam: 'x' })],
      'changes[0].entry: unknown attribute "nam" (did you mean "name"?)',
    ],
    [
      'an inverse side',
      [upsert(author, { documentId: 'x', articles: ['one'] })],
      'changes[0].entry: attribute "articles" is derived from its owning side: set "author" of api::article.article instead. It holds "one", which does not refer to this entry: leave it out',
    ],
    [
      'a wrong component',
      [upsert(article, { documentId: 'x', cards: {} })],
      'changes[0].entry, attribute cards: expected a list, not {}',
    ],
    [
      'a wrong reference',
      [upsert(article, { documentId: 'x', author: ['ada'] })],
      'changes[0].entry, attribute author: expected one documentId, not ["ada"]',
    ],
    [
      'a reference to nothing',
      [upsert(article, { documentId: 'x', cards: [{ author: 'x' }] })],
      'changes[0].entry, attribute cards[0], attribute author: no author with documentId "x"',
    ],
    [
      'a reference to a deleted document',
      [upsert(article, { documentId: 'x', author: 'ben' }), { delete: author, documentId: 'ben' }],
      'changes[0].entry, attribute author: no author with documentId "ben"',
    ],
    [
      'a deletion of nothing',
      [{ delete: article, documentId: 'two', locale: 'fr' }],
      'changes[0]: no article with documentId "two" (fr)',
    ],
    [
      'a deletion twice',
      [
        { delete: author, documentId: 'ada' },
        { delete: author, documentId: 'ada' },
      ],
      'changes[1]: no author with documentId "ada"',
    ],
    ['another id', [upsert(author, { documentId: 'ada', id: 7 })], 'changes[0].entry: the entry has the id 3, not 7'],
    [
      'an id in use',
      [upsert(author, { documentId: 'x', id: 7 })],
      'changes[0].entry: the id 7 is that of another author',
    ],
    [
      'a wrong id',
      [upsert(author, { documentId: 'x', id: 'x' })],
      'changes[0].entry: "id" must be a positive integer, not "x"',
    ],
    [
      'an id that no text can be made of',
      [upsert(author, { documentId: 'x', id: { toString: 1, valueOf: 1 } })],
      'changes[0].entry: "id" must be a positive integer, not {"toString":1,"valueOf":1}',
    ],
    [
      'such an id of a component',
      [upsert(article, { documentId: 'one', cards: [{ id: { toString: 1, valueOf: 1 } }] })],
      'changes[0].entry, attribute cards[0]: "id" must be a positive integer, not {"toString":1,"valueOf":1}',
    ],
    [
      'an id of an entry that the changes delete',
      [{ delete: author, documentId: 'ben' }, upsert(author, { documentId: 'ben', id: 7 })],
      'changes[1].entry: the id 7 is that of an entry that these changes delete: send the entry in a later batch',
    ],
    [
      'a component of another entry',
      [upsert(article, { documentId: 'two', seo: { id: 5 } })],
      'changes[0].entry, attribute seo: the component shared.seo with id 5 belongs to another entry',
    ],
    [
      'two owners',
      [upsert(article, { documentId: 'two', badge: 'gold' })],
      `${article}, attribute badge: "one" and "two" both link to "gold"`,
    ],
    [
      'a second document of a single type',
      [upsert(home, { documentId: 'x' })],
      `${home}: the single type has 2 documents`,
    ],
    [
      'a locale',
      [upsert('plugin::i18n.locale', { code: 'de' })],
      'changes[0]: the locales of a JSON snapshot are settings',
    ],
    ['a wrong role', [upsert(roleUid, { type: 'x' })], 'changes[0].entry: permissions: is required'],
    [
      'a wrong permission',
      [upsert(roleUid, { type: 'x', permissions: ['y'] })],
      'changes[0].entry, role x: the permission "y"',
    ],
    [
      'too many changes',
      Array(batchLimits.entities + 1).fill({}),
      'changes: the list has 10001 changes; the limit is 10000',
    ],
  ];
  test.each(cases)('%s is an error', (_, changes, message) => {
    expect(() => prepare(changes)).toThrow(message);
    expect(() => prepare(changes)).toThrow(/^the batch has 1 problem:/);
  });

  test('more entries than a batch may have are an error', async () => {
    const versions = [{ locale: 'en' }, { locale: 'fr' }];
    const documents = Array.from({ length: batchLimits.entities / 2 + 1 }, (_, i) => `d${i}`);
    const list = documents.flatMap((documentId) => versions.map((version) => ({ documentId, ...version })));
    const from = await load({ entries: { ...entries, article: [...entries.article, ...list] } as never });
    const deletions = documents.map((documentId) => ({ delete: article, documentId }));
    expect(() => prepare(deletions, from)).toThrow('changes: the batch has 10002 entries; the limit is 10000');
  });

  test('more links than a batch may have are an error', () => {
    const related = Array(batchLimits.targets + 1).fill('two');
    const changes = [upsert(article, { documentId: 'one', related })];
    expect(() => prepare(changes)).toThrow('changes: the batch has more than 1000000 links');
  });

  test('a document that is referred to often is looked up once', () => {
    const lookUps = vi.spyOn(ChangePlan.prototype, 'entriesOf');
    prepare([upsert(article, { documentId: 'one', related: Array(100).fill('two') })]);
    expect(lookUps).toHaveBeenCalledTimes(1);
    lookUps.mockRestore();
  });

  test('a target moves between two owners in one batch', () => {
    const batch = prepare([
      upsert(article, { documentId: 'two', badge: 'gold' }),
      upsert(article, { documentId: 'one' }),
    ]);
    expect(batch.links.find(({ id, attribute }) => id === 13 && attribute === 'badge')!.targets).toMatchObject([
      { type: badge, id: 1 },
    ]);
  });
});

test('components that their attribute does not accept are mistakes, also in content that tolerates them', async () => {
  const tolerant = await load({ entries }, 'tolerant');
  const cards = ['wrong', { text: 'a' }, null];
  expect(() => prepare([upsert(article, { ...one, seo: [{}], cards, blocks: cards })], tolerant)).toThrow(
    /has 6 problems:\n {2}changes\[0\].entry, attribute seo: expected one object, not \[{}\]\n/,
  );
});

test('a batch leads to the rows and lists of its changes', async () => {
  const tolerant = await load({ entries }, 'tolerant');
  const check = { store: tolerant.store, options: optionsOf(tolerant), problems: new Problems('tolerant', 'batch') };
  const cards = [{ text: 'a', seo: { metaTitle: 'b' } }, { text: 'c' }];
  const blocks = cards.map((card) => ({ __component: 'shared.card', ...card }));
  const changes = [upsert(article, { ...one, secret: 'kept out', seo: { metaTitle: 'd' }, cards, blocks })];
  const checked = runAtOnce(checkChangesInSteps(check.store, changes, check.problems, check.options));
  const sent = JSON.parse(JSON.stringify(checked.batch)) as Batch;
  const again = runAtOnce(checkBatchInSteps(check.store, sent, new Problems('strict', 'batch'), check.options));
  const rowsOf = ({ changes: { built } }: typeof checked) =>
    Array.from(built, ([uid, { json }]) => [uid, Buffer.from(json.bytes).toString(), [...json.offsets]]);
  expect(rowsOf(checked).map(([uid]) => uid)).toContain('shared.card');
  expect(rowsOf(again)).toEqual(rowsOf(checked));
  const { links, deleted } = checked.changes;
  expect(again.changes).toMatchObject({ links, deleted });
});
