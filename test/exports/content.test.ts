// Entries and links that Strapi serves although something in them is wrong.
import { describe, expect, test } from 'vitest';
import { codecs } from '../../src/http/codec-pool.ts';
import { open } from '../../src/index.ts';
import { Metrics } from '../../src/server/metrics/metrics.ts';
import { RequestTimes } from '../../src/server/metrics/request-times.ts';
import { loadError } from '../support/broken.ts';
import { ask, thingSnapshot } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';
import {
  type ExportedType,
  entity,
  filesOf,
  folderOf,
  kindsOf,
  lines,
  link,
  openParts,
  type Parts,
  uidOf,
} from './exports.ts';

const text = { type: 'string' };
const to = (relation: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target: uidOf(target),
  ...more,
});

describe('a value that does not fit its attribute', () => {
  /** The value that is served, and whether filters see it as `operand`, or as null. */
  async function served(definition: object, value: unknown, operand: unknown) {
    const types = [{ name: 'note', attributes: { value: definition } }];
    const content = await openParts({ types, entities: [entity('note', 1, { value })] });
    expect(kindsOf(content)).toEqual({ 'wrong-value': 1 });
    const { data } = content.find('notes');
    const { total } = content.find('notes', { filters: { value: operand } }).meta.pagination;
    expect(total, `found by ${JSON.stringify(operand)}`).toBe(1);
    await expect(
      open(folderOf(filesOf({ types, entities: [entity('note', 1, { value })] })), { tolerance: 'strict' }),
    ).rejects.toThrow('attribute value: expected');
    return data[0].value;
  }
  const nothing = { $null: true };

  test.each<[object, unknown, unknown, unknown]>([
    [{ type: 'enumeration', enum: ['a'] }, 'old', 'old', { $eq: 'old' }],
    [{ type: 'integer' }, 1.5, 1.5, { $gt: 1 }],
    [{ type: 'integer' }, '12', 12, { $eq: 12 }],
    [{ type: 'integer' }, 'many', 'many', nothing],
    [{ type: 'decimal' }, '2.50', 2.5, { $eq: 2.5 }],
    [{ type: 'boolean' }, 1, true, { $eq: true }],
    [{ type: 'boolean' }, 'f', false, { $eq: false }],
    [{ type: 'boolean' }, 'perhaps', 'perhaps', nothing],
    [{ type: 'string' }, 5, '5', { $eq: '5' }],
    [{ type: 'text' }, { a: [1] }, { a: [1] }, nothing],
    [{ type: 'string' }, '\ud800!', '\ufffd!', { $endsWith: '!' }],
    [{ type: 'date' }, '2024-02-03T10:00:00.000Z', '2024-02-03', { $eq: '2024-02-03' }],
    [{ type: 'datetime' }, 1700000000000, '2023-11-14T22:13:20.000Z', { $gt: '2023-01-01T00:00:00.000Z' }],
    [{ type: 'datetime' }, '2024-02-03 10:00:00', '2024-02-03T10:00:00.000Z', { $notNull: true }],
    [{ type: 'datetime' }, 'soon', 'soon', nothing],
    [{ type: 'time' }, '10:00', '10:00', nothing],
    [{ type: 'biginteger' }, '99999999999999999999', '99999999999999999999', nothing],
    [{ type: 'blocks' }, { type: 'paragraph' }, { type: 'paragraph' }, { $notNull: true }],
  ])('%j: %j is served as %j', async (definition, value, expected, operand) => {
    expect(await served(definition, value, operand)).toEqual(expected);
  });

  test('is an error if it is JSON that is nested too deeply', async () => {
    let value: unknown = 1;
    for (let i = 0; i < 250; i++) value = [value];
    const types = [{ name: 'note', attributes: { value: text } }];
    const path = folderOf(filesOf({ types, entities: [entity('note', 1, { value })] }));
    expect((await loadError(path)).count).toBe(1);
  });
});

describe('links', () => {
  const types: ExportedType[] = [
    {
      name: 'note',
      attributes: { tags: to('manyToMany', 'tag'), parts: { type: 'component', component: 'a.b', repeatable: true } },
    },
    { name: 'tag', attributes: { name: text } },
  ];
  const entities = [entity('note', 1, { parts: [{ id: 7, t: 'x' }] }), entity('tag', 1, { name: 'red' })];
  const components = { 'a.b': { t: text } };
  const tags = async (links: object[]) => {
    const content = await openParts({ types, entities, components, links });
    const { body } = await ask(content, '/api/notes', 'populate=*');
    return { content, note: (body.data as Record<string, unknown[]>[])[0] };
  };

  test('without an id are dropped and reported', async () => {
    const { left, right } = link('note.tags', 1, 'tag', 1) as Record<'left' | 'right', object>;
    const { content, note } = await tags([{ left, right: { ...right, ref: undefined } }]);
    expect(note.tags).toEqual([]);
    expect(content.summary.warnings[0].message).toContain('attribute tags: no api::tag.tag with id undefined');
  });

  test('to and from entries missing from the export are dropped and reported once', async () => {
    const dangling = Array.from({ length: 10_000 }, (_, i) => link('note.tags', 1, 'tag', i + 2));
    const { content, note } = await tags([link('note.tags', 1, 'tag', 1), ...dangling, link('note.tags', 9, 'tag', 1)]);
    expect(note.tags).toMatchObject([{ name: 'red' }]);
    const { warnings } = content.summary;
    expect(warnings).toMatchObject([{ kind: 'dangling-link', count: 10_001 }]);
    expect(warnings[0].message).toBe(
      'Links to entries that do not exist are left out (10,001 times): ' +
        'links/links_00001.jsonl:2, api::note.note 1, attribute tags: no api::tag.tag with id 2; ' +
        'links/links_00001.jsonl:3, api::note.note 1, attribute tags: no api::tag.tag with id 3; ' +
        'links/links_00001.jsonl:4, api::note.note 1, attribute tags: no api::tag.tag with id 4; …',
    );
  });

  test('name the end that is missing', async () => {
    const { content } = await tags([link('note.tags', 9, 'tag', 1)]);
    expect(content.summary.warnings[0].message).toBe(
      'Links to entries that do not exist are left out: ' +
        'links/links_00001.jsonl:1, api::tag.tag 1: api::note.note 9, whose attribute tags links to it, does not exist',
    );
  });

  test.each<[string, object]>([
    ['of an attribute that does not exist', link('note.gone', 1, 'tag', 1)],
    ['of a type that does not exist', link('gone.tags', 1, 'tag', 1)],
    ['to another type than that of the attribute', link('note.tags', 1, 'note', 1)],
  ])('%s are left out', async (_, wrong) => {
    const { content, note } = await tags([wrong]);
    expect(note.tags).toEqual([]);
    expect(kindsOf(content)).toEqual({ 'foreign-link': 1 });
  });

  test('of components are ignored, because entries contain their components', async () => {
    const component = link('note.parts', 1, 'tag', 7);
    const { content, note } = await tags([{ ...component, right: { type: 'a.b', ref: 7 } }]);
    expect(note.parts).toMatchObject([{ id: 7, t: 'x' }]);
    expect(kindsOf(content)).toEqual({});
  });

  test('of administrators and their settings are ignored', async () => {
    const administrator = { type: 'admin::user', ref: 1 };
    const { content } = await tags([
      { ...link('note.createdBy', 1, 'tag', 1), right: administrator },
      { ...link('note.tags', 1, 'tag', 1), left: { ...administrator, field: 'roles' } },
    ]);
    expect(kindsOf(content)).toEqual({});
  });
});

describe('an entry', () => {
  test('has a null documentId if the export has none', async () => {
    const types = [{ name: 'note', attributes: { title: text }, localized: true }];
    const bare = [1, 2].map((id) => entity('note', id, { documentId: null, title: `n${id}`, locale: 'en' }));
    const content = await openParts({ types, entities: bare });
    expect(kindsOf(content)).toEqual({ 'entry-without-document-id': 2 });
    const { body } = await ask(content, '/api/notes', 'fields=title&populate=localizations&sort=id');
    expect(body.data).toMatchObject([
      { id: 1, documentId: null, title: 'n1' },
      { id: 2, documentId: null, title: 'n2' },
    ]);
  });

  test('is dropped if its type does not exist', async () => {
    const content = await openParts({ types: [{ name: 'note', attributes: {} }], entities: [entity('gone', 1)] });
    expect(kindsOf(content)).toEqual({ 'entry-without-type': 1 });
  });

  test('is an error if it occurs twice, with a hint about PostgreSQL', async () => {
    const types = [{ name: 'note', attributes: { title: text } }];
    const files = filesOf({ types, entities: [entity('note', 1)] });
    files.set('entities/entities_00002.jsonl', lines([entity('note', 1)]));
    const { message } = await loadError(folderOf(files));
    expect(message).toContain('entities/entities_00002.jsonl:1');
    expect(message).toContain('the id 1 is given twice');
    expect(message).toContain('synchronize_seqscans');
  });

  test('may have one component as a list and a list as one component', async () => {
    const attributes = {
      one: { type: 'component', component: 'a.b' },
      many: { type: 'component', component: 'a.b', repeatable: true },
    };
    const values = {
      one: [
        { id: 1, t: 'x' },
        { id: 2, t: 'y' },
      ],
      many: { id: 3, t: 'z' },
    };
    const content = await openParts({
      types: [{ name: 'note', attributes }],
      components: { 'a.b': { t: text } },
      entities: [entity('note', 1, values)],
    });
    expect(content.find('notes', { populate: '*' }).data).toMatchObject([{ one: { t: 'x' }, many: [{ t: 'z' }] }]);
    expect(kindsOf(content)).toEqual({ 'wrong-component': 2 });
  });
});

describe('duplicates where one is expected', () => {
  const singleType: Parts = {
    types: [{ name: 'home', kind: 'singleType', attributes: { title: text } }],
    entities: [entity('home', 1, { title: 'first' }), entity('home', 2, { title: 'second' })],
  };

  test('the first document of a single type is served', async () => {
    const content = await openParts(singleType);
    expect((await ask(content, '/api/home')).body.data).toMatchObject({ title: 'first' });
    expect(content.summary.warnings).toMatchObject([{ kind: 'several-documents', count: 1 }]);
    expect(content.summary.warnings[0].message).toContain('has 2 documents instead of one; the first is "home-1"');
    await expect(open(folderOf(filesOf(singleType)), { tolerance: 'strict' })).rejects.toThrow(
      'has 2 documents instead of one',
    );
  });

  test('a single type with a draft, a published version and two locales is one document', async () => {
    const versions = ['en', 'fr'].flatMap((locale) => [
      { locale, publishedAt: null },
      { locale, publishedAt: '2024-01-01T00:00:00.000Z' },
    ]);
    const content = await openParts({
      types: [{ name: 'home', kind: 'singleType', attributes: {}, draftAndPublish: true, localized: true }],
      entities: versions.map((version, i) => entity('home', i + 1, { documentId: 'h', ...version })),
    });
    expect(kindsOf(content)).toEqual({});
  });

  const oneToOne = (draftAndPublish: boolean): Parts => ({
    types: [
      { name: 'a', draftAndPublish, attributes: { b: to('oneToOne', 'b', { inversedBy: 'a' }) } },
      { name: 'b', attributes: { a: to('oneToOne', 'a', { mappedBy: 'b' }) } },
    ],
    links: [link('a.b', 1, 'b', 1), link('a.b', 2, 'b', 1)],
  });

  test('the first of two documents related one-to-one to the same one keeps the relation', async () => {
    const content = await openParts({ ...oneToOne(false), entities: [entity('a', 1), entity('a', 2), entity('b', 1)] });
    expect((await ask(content, '/api/bs', 'populate=a')).body.data).toMatchObject([{ a: { id: 1 } }]);
    const { warnings } = content.summary;
    expect(warnings).toMatchObject([{ kind: 'several-owners', count: 1 }]);
    expect(warnings[0].message).toContain('api::a.a, attribute b: "a-1" and "a-2" both link to "b-1"');
  });

  test('the draft and the published version of a document may share a related entry', async () => {
    const draft = entity('a', 1, { documentId: 'a', publishedAt: null });
    const content = await openParts({
      ...oneToOne(true),
      entities: [draft, entity('a', 2, { documentId: 'a' }), entity('b', 1)],
    });
    expect(kindsOf(content)).toEqual({});
  });

  test('both are errors in a strict JSON snapshot and warnings in a tolerant one', async () => {
    const snapshot = {
      contentTypes: [
        { kind: 'singleType' as const, info: { singularName: 'home', pluralName: 'homes' }, attributes: {} },
        { info: { singularName: 'a', pluralName: 'as' }, attributes: { b: to('oneToOne', 'b', { inversedBy: 'a' }) } },
        { info: { singularName: 'b', pluralName: 'bs' }, attributes: { a: to('oneToOne', 'a', { mappedBy: 'b' }) } },
      ],
      entries: {
        home: [{ documentId: 'h1' }, { documentId: 'h2' }],
        a: [
          { documentId: 'a1', b: 'b' },
          { documentId: 'a2', b: 'b' },
        ],
        b: [{ documentId: 'b' }],
      },
    };
    expect((await loadError(snapshot)).problems).toEqual([
      'api::home.home: the single type has 2 documents instead of one; the first is "h1"',
      'api::a.a, attribute b: "a1" and "a2" both link to "b"',
    ]);
    expect(kindsOf(await open(snapshot, { tolerance: 'tolerant' }))).toEqual({
      'several-documents': 1,
      'several-owners': 1,
    });
  });
});

test('only the blocked user is rejected among users without a documentId', async () => {
  const attributes = { username: text, confirmed: { type: 'boolean' }, blocked: { type: 'boolean' } };
  const users = {
    uid: 'plugin::users-permissions.user',
    info: { singularName: 'user', pluralName: 'users' },
    attributes: {
      ...attributes,
      role: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.role' },
    },
  };
  const user = (id: number, blocked: boolean) =>
    entity(users.uid, id, { documentId: null, username: `u${id}`, blocked, confirmed: true });
  const content = await openParts(
    {
      types: [{ name: 'note', attributes: {} }],
      schemas: [users],
      entities: [user(1, true), user(2, false)],
      links: [1, 2].map((id) => link(`${users.uid}.role`, id, 'plugin::users-permissions.role', 1)),
    },
    { jwtSecret },
  );
  const statusOf = async (id: number) =>
    (await content.answer('/api/notes', { authorization: `Bearer ${jwtOf(id)}` })).status;
  expect([await statusOf(1), await statusOf(2)]).toEqual([401, 200]);
});

describe('a JSON snapshot that is loaded tolerantly', () => {
  test('ignores keys that name no attribute, and permissions for what does not exist', async () => {
    const roles = [{ type: 'public', permissions: ['api::thing.thing.find', 'api::gone.gone.find'] }];
    const snapshot = thingSnapshot({ name: text }, [{ documentId: 'a', name: 'x', nmae: 'y' }], { roles });
    expect((await loadError(snapshot)).count).toBe(2);
    const content = await open(snapshot, { tolerance: 'tolerant' });
    expect(kindsOf(content)).toEqual({ 'unknown-key': 1, 'wrong-permission': 1 });
    expect((await ask(content, '/api/things')).body.data).toMatchObject([{ name: 'x' }]);
  });
});

test('metrics count tolerated mistakes by kind', async () => {
  const types = [{ name: 'note', attributes: { value: { type: 'integer' } } }];
  const content = await openParts({ types, entities: [entity('note', 1, { value: 'x' }), entity('gone', 1)] });
  const state = {
    contents: () => [['main', content.history] as const],
    labelsAll: false,
    isReady: () => true,
    connections: () => 0,
    unsentBytes: () => 0,
    lostLogLines: () => 0,
    codecs: () => codecs.figures,
    queue: () => ({ waiting: 0, waitingBytes: 0, refused: 0 }),
    versionWaits: () => ({ waiting: 0, timedOut: 0 }),
    reloads: () => ({ counts: { replaced: 0, unchanged: 0, failed: 0 }, milliseconds: null, failure: null }),
    events: null,
    sources: () => [],
    changes: () => [],
    webhook: null,
    limitedAddresses: null,
    threads: null,
  };
  const metrics = await new Metrics(state, new RequestTimes()).text();
  expect(metrics).toContain('lectern_snapshot_warnings{kind="wrong-value"} 1');
  expect(metrics).toContain('lectern_snapshot_warnings{kind="entry-without-type"} 1');
});
