// An invalid snapshot is rejected as a whole, with problems that name file or type, entry and attribute.
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { exportSnapshot } from '../fuzz/small-snapshots.ts';
import { expectProblem, loadError } from '../support/broken.ts';
import { temporaryFolder } from '../support/folders.ts';
import { ask, guideFolder, thingSnapshot } from '../support/guide.ts';

const name = { type: 'string' };
const link = (target: string) => ({ type: 'relation', relation: 'manyToOne', target });
const links = (target: string) => ({ type: 'relation', relation: 'manyToMany', target });
const file = {
  documentId: 'picture',
  ...{ name: 'p.png', hash: 'p', mime: 'image/png', size: 1, url: '/p.png', provider: 'local' },
};

describe('schemas', () => {
  test.each<[title: string, attribute: object, names: string[]]>([
    ['an unknown attribute type', { type: 'colour' }, ['colour']],
    ['an attribute type that every object has', { type: 'constructor' }, ['constructor']],
    ['an attribute without a type', {}, []],
    ['a target that does not exist', link('api::nope.nope'), ['api::nope.nope']],
    ['a relation without a target', { type: 'relation', relation: 'manyToOne' }, []],
    [
      'an unknown kind of relation',
      { type: 'relation', relation: 'fewToFew', target: 'api::thing.thing' },
      ['fewToFew'],
    ],
    ['a component that does not exist', { type: 'component', component: 'shared.nope' }, ['shared.nope']],
    [
      'a zone with a component that does not exist',
      { type: 'dynamiczone', components: ['shared.nope'] },
      ['shared.nope'],
    ],
    [
      'mappedBy an attribute that does not exist',
      { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing', mappedBy: 'nope' },
      ['nope'],
    ],
    ['an enumeration without its values', { type: 'enumeration' }, []],
  ])('%s', async (_title, attribute, names) => {
    await expectProblem(thingSnapshot({ name, value: attribute }, []), 'thing', 'value', ...names);
  });

  test.each(['a.b', 'a:b', 'a,b', 'a b', '', '*', '$eq', 'a[b]', '12', '\ud800'])(
    'rejects an attribute named %j',
    async (wrong) => {
      await expectProblem(thingSnapshot({ name, [wrong]: name }, []), 'thing', JSON.stringify(wrong));
    },
  );

  test('rejects an attribute named __proto__ in a content type or component', async () => {
    const attributes = JSON.parse('{"name": {"type": "string"}, "__proto__": {"type": "string"}}') as Record<
      string,
      object
    >;
    await expectProblem(thingSnapshot(attributes, []), 'thing', 'attribute __proto__');
    await expectProblem(thingSnapshot({ name }, [], { components: { 'a.b': { attributes } } }), 'a.b', '__proto__');
  });

  test.each<[title: string, definition: object, suggestion: string]>([
    ['a type', { type: 'strng' }, 'unknown attribute type "strng" (did you mean "string"?)'],
    ['a key', { type: 'string', privat: true }, 'unknown key "privat" (did you mean "private"?)'],
    ['a kind of relation', { ...link('api::thing.thing'), relation: 'manyToOn' }, '(did you mean "manyToOne"?)'],
    ['a target', link('api::thig.thing'), 'type api::thig.thing is missing (did you mean "api::thing.thing"?)'],
    ['a component', { type: 'component', component: 'shared.sea' }, '(did you mean "shared.seo"?)'],
    ['the other side', { ...link('api::thing.thing'), inversedBy: 'childen' }, '(did you mean "children"?)'],
  ])('suggests the nearest name for %s', async (_title, value, suggestion) => {
    const children = { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing', mappedBy: 'parent' };
    const attributes = { name, value, parent: { ...link('api::thing.thing'), inversedBy: 'children' }, children };
    const snapshot = thingSnapshot(attributes, [], { components: { 'shared.seo': { attributes: { name } } } });
    await expectProblem(snapshot, 'thing', 'value', suggestion);
  });

  test('reports an invalid attribute once, not again as missing where mappedBy names it', async () => {
    const parent = { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing', inversedBy: 'children' };
    const children = { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing', mappedBy: 'parent' };
    const { problems } = await loadError(thingSnapshot({ parent: { ...parent, type: 'relaton' }, children }, []));
    expect(problems).toEqual([
      'contentTypes thing, attribute parent: unknown attribute type "relaton" (did you mean "relation"?)',
    ]);
  });

  test('rejects two content types of the same name', async () => {
    const contentTypes = ['things', 'stuff'].map((pluralName) => ({
      info: { singularName: 'thing', pluralName },
      attributes: { name },
    }));
    await expectProblem(thingSnapshot({}, [], { contentTypes }), 'thing');
  });
});

describe('entries', () => {
  const attributes = {
    name,
    parent: { ...link('api::thing.thing'), inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing', mappedBy: 'parent' },
    friends: links('api::thing.thing'),
    cover: { type: 'media', multiple: false },
    gallery: { type: 'media', multiple: true },
    target: { type: 'relation', relation: 'morphToOne' },
  };
  test.each<[title: string, entries: unknown[], names: string[]]>([
    [
      'a duplicate id',
      [
        { id: 1, documentId: 'a' },
        { id: 1, documentId: 'broken' },
      ],
      ['broken', 'id'],
    ],
    ['a duplicate document', [{ documentId: 'broken' }, { documentId: 'broken' }], ['broken']],
    ['no documentId', [{ documentId: 'a' }, { name: 'b' }], ['1', 'documentId']],
    ['a documentId that is no text', [{ documentId: 'a' }, { documentId: 5 }], ['1', 'documentId']],
    ['an empty documentId', [{ documentId: 'a' }, { documentId: '' }], ['1', 'documentId']],
    ['an id of zero', [{ documentId: 'broken', id: 0 }], ['broken', 'id']],
    ['an id that is text', [{ documentId: 'broken', id: '1' }], ['broken', 'id']],
    ['an id with a fraction', [{ documentId: 'broken', id: 1.5 }], ['broken', 'id']],
    ['an unknown key', [{ documentId: 'broken', colour: 'red' }], ['broken', 'colour']],
    ['the key constructor', [{ documentId: 'broken', constructor: 'red' }], ['broken', 'constructor']],
    ['the other side of a relation', [{ documentId: 'broken', children: [] }], ['broken', 'children']],
    ['a dangling to-one relation', [{ documentId: 'broken', parent: 'nope' }], ['broken', 'parent', 'nope']],
    [
      'a dangling to-many relation',
      [{ documentId: 'broken', friends: ['broken', 'nope'] }],
      ['broken', 'friends', 'nope'],
    ],
    ['a dangling picture', [{ documentId: 'broken', cover: 'nope' }], ['broken', 'cover', 'nope']],
    ['a dangling gallery', [{ documentId: 'broken', gallery: ['picture', 'nope'] }], ['broken', 'gallery', 'nope']],
    [
      'a dangling polymorphic relation',
      [{ documentId: 'broken', target: { __type: 'api::thing.thing', documentId: 'nope' } }],
      ['broken', 'target', 'nope'],
    ],
    [
      'a polymorphic relation to no type',
      [{ documentId: 'broken', target: { __type: 'api::nope.nope', documentId: 'a' } }],
      ['broken', 'target', 'api::nope.nope'],
    ],
    ['createdAt that is no datetime', [{ documentId: 'broken', createdAt: 'soon' }], ['broken', 'createdAt']],
    ['an unknown status', [{ documentId: 'broken', status: 'archived' }], ['broken', 'status']],
    ['a draft of a type without drafts', [{ documentId: 'broken', status: 'draft' }], ['broken', 'status']],
    ['a locale of a type without locales', [{ documentId: 'broken', locale: 'en' }], ['broken', 'locale']],
    ['an entry that is no object', [{ documentId: 'a' }, 'text'], ['1']],
    ['an entry that is null', [{ documentId: 'a' }, null], ['1']],
  ])('%s', async (_title, entries, names) => {
    const snapshot = thingSnapshot(attributes, [], { entries: { thing: entries, file: [file] } });
    await expectProblem(snapshot, 'thing', ...names);
  });

  test('suggests the nearest attribute name', async () => {
    const entries = [{ documentId: 'broken', parrent: null }];
    await expectProblem(thingSnapshot(attributes, entries), 'thing', 'broken', '"parrent" (did you mean "parent"?)');
  });

  test('reports the key __proto__ as an unknown attribute', async () => {
    const entries = JSON.parse('[{ "documentId": "broken", "__proto__": { "name": "inherited" } }]');
    await expectProblem(thingSnapshot({ name }, entries), 'thing', 'broken', '__proto__');
  });

  test('reports a dangling relation inside a component by its path', async () => {
    const component = { attributes: { text: name, friends: links('api::thing.thing') } };
    const attributes = { notes: { type: 'component', repeatable: true, component: 'shared.note' } };
    const notes = [{ text: 'a' }, { text: 'b', friends: ['broken', 'nope'] }];
    const snapshot = thingSnapshot(attributes, [{ documentId: 'broken', notes }], {
      components: { 'shared.note': component },
    });
    await expectProblem(snapshot, 'thing', 'broken, attribute notes[1], attribute friends[1]', 'nope');
  });

  test('rejects a document that occurs twice in one status and locale', async () => {
    const contentTypes = [
      {
        info: { singularName: 'thing', pluralName: 'things' },
        options: { draftAndPublish: true },
        pluginOptions: { i18n: { localized: true } },
        attributes: { name },
      },
    ];
    const settings = {
      defaultLocale: 'en',
      locales: [
        { code: 'en', name: 'English' },
        { code: 'fr', name: 'French' },
      ],
    };
    const rows = ['draft', 'published'].flatMap((status) =>
      ['en', 'fr'].map((locale) => ({ documentId: 'twice', status, locale })),
    );
    const content = await open(thingSnapshot({}, rows, { contentTypes, settings }));
    expect(content.summary.types.find(({ uid }) => uid === 'api::thing.thing')?.entries).toBe(4);
    const twice = [...rows, { documentId: 'twice', status: 'draft', locale: 'fr' }];
    await expectProblem(thingSnapshot({}, twice, { contentTypes, settings }), 'thing', 'twice');
    // Left out, status is published and locale the default one.
    await expectProblem(
      thingSnapshot({}, [...rows, { documentId: 'twice' }], { contentTypes, settings }),
      'thing',
      'twice',
    );
  });

  test.each(['', 'a/b', '/'])('rejects the plural name %j, which cannot be part of a path', async (pluralName) => {
    const contentTypes = [{ info: { singularName: 'thing', pluralName }, attributes: { name } }];
    await expectProblem(thingSnapshot({}, [], { contentTypes }), 'thing', 'pluralName', 'single path segment');
  });

  test('rejects entries of unknown types and entries that are not a list', async () => {
    await expectProblem(thingSnapshot({ name }, [], { entries: { nope: [] } }), 'nope');
    await expectProblem(thingSnapshot({ name }, [], { entries: { thing: { documentId: 'a' } } }), 'thing');
  });

  test('counts the items of a list that is too long', async () => {
    const locales = Array.from({ length: 1001 }, (_, i) => ({ code: `en-${i}` }));
    const settings = { defaultLocale: 'en-0', locales };
    const { problems } = await loadError(thingSnapshot({ name }, [], { settings }));
    expect(problems).toEqual(['settings: locales: must have at most 1000 items, has 1001']);
  });

  test('rejects a user whose role does not exist', async () => {
    const user = { documentId: 'john', username: 'john', email: 'john@example.org', role: 'nope' };
    await expectProblem(thingSnapshot({ name }, [], { entries: { user: [user] } }), 'user', 'john', 'role');
  });
});

describe('mistakes that would otherwise go unnoticed', () => {
  test('rejects an unknown key of an attribute, such as a misspelled "private"', async () => {
    await expectProblem(thingSnapshot({ secret: { type: 'string', privat: true } }, []), 'thing', 'secret', 'privat');
  });

  test.each(['api::nope.nope.find', 'api::thing.thing.findone'])('rejects the permission %s', async (permission) => {
    const roles = [{ type: 'public', permissions: [permission] }];
    await expectProblem({ ...thingSnapshot({ name }, []), roles }, 'roles', 'public', permission);
  });

  test.each([
    { type: 'relation', relation: 'manyToOne', target: '' },
    { type: 'component', component: '' },
  ])('rejects a relation without a target: %j', async (attribute) => {
    await expectProblem(thingSnapshot({ name, empty: attribute }, []), 'thing', 'attribute empty', 'is missing');
  });

  test('rejects names of types that differ only in case, because routes ignore case', async () => {
    const type = (singularName: string, pluralName: string, kind = 'collectionType') => ({
      kind,
      info: { singularName, pluralName },
      attributes: { name },
    });
    for (const contentTypes of [
      [type('thing', 'things'), type('other', 'Things')],
      [type('thing', 'things'), type('THINGS', 'more', 'singleType')],
    ]) {
      await expectProblem({ contentTypes, entries: {} } as never, 'have the same route');
    }
  });

  test.each([{}, { contentTypes: {} }, { contentTypes: [], entries: [] }, { contentTypes: [], components: 5 }])(
    'rejects %j, which is not a snapshot',
    async (snapshot) => {
      expect((await loadError(snapshot as never)).count).toBe(1);
    },
  );
});

describe('folders', () => {
  let folder: string;
  beforeAll(() => {
    folder = temporaryFolder();
    cpSync(guideFolder, folder, { recursive: true });
  });

  test('reports a folder that does not exist', async () => {
    await expectProblem(join(folder, 'nowhere'), 'nowhere');
  });
  test('names the file of a syntax error', async () => {
    writeFileSync(join(folder, 'entries', 'category.json'), '[{ "documentId": "soup", ]');
    await expectProblem(folder, 'category.json');
    // references to the entries of a broken file are not reported
    expect((await loadError(folder)).count).toBe(1);
    writeFileSync(join(folder, 'entries', 'category.json'), '');
    await expectProblem(folder, 'category.json');
  });
  test('names file, entry and attribute of an invalid value', async () => {
    writeFileSync(join(folder, 'entries', 'category.json'), '[{ "documentId": "soup", "rank": "first" }]');
    await expectProblem(folder, 'category', 'soup', 'rank');
  });
  test('rejects symbolic links to files and folders', async () => {
    for (const linked of ['roles.json', 'entries']) {
      renameSync(join(folder, linked), `${folder}-${linked}`);
      symlinkSync(`${folder}-${linked}`, join(folder, linked));
      await expectProblem(folder, linked, 'symbolic links are not followed');
      rmSync(join(folder, linked));
      renameSync(`${folder}-${linked}`, join(folder, linked));
    }
  });
  test('reports the mistakes of all definitions at once, and none that an unreadable type explains', async () => {
    const article = { info: { singularName: 'article', pluralName: 'articles' } };
    const attributes = {
      author: link('api::author.author'),
      editor: link('api::editor.editor'),
      parts: { type: 'dynamiczone', components: ['shared.broken'] },
      lost: link('api::lost.lost'),
      colour: { type: 'colour' },
      hidden: { type: 'string', privat: true },
    };
    const permissions = ['author', 'editor', 'lost'].map((type) => `api::${type}.${type}.find`);
    const files = {
      'content-types/article.json': JSON.stringify({ ...article, attributes }),
      'content-types/author.json': '{',
      'content-types/redactor.json': JSON.stringify({ info: { singularName: 'editor' }, attributes: 1 }),
      'components/shared/broken.json': '[]',
      'snapshot.json': JSON.stringify({ defaultLocale: 'de', locales: [{ code: 'en' }] }),
      'roles.json': JSON.stringify([{ type: 'public', permissions }]),
    };
    const all = temporaryFolder();
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(all, name)), { recursive: true });
      writeFileSync(join(all, name), text);
    }
    const { problems, count } = await loadError(all);
    const expected = [
      /^content-types\/author\.json:1:2: invalid JSON/,
      /^content-types\/redactor\.json: attributes/,
      /^components\/shared\/broken\.json: /,
      /attribute colour: .*"colour"/,
      /attribute hidden: .*"privat"/,
      /attribute lost: type api::lost\.lost is missing/,
      /^roles\.json, role public: .*api::lost\.lost\.find/,
      /^snapshot\.json: the default locale "de"/,
    ];
    for (const each of expected) expect(problems).toContainEqual(expect.stringMatching(each));
    expect([count, problems.length]).toEqual([expected.length, expected.length]);
  });
});

test('counts all problems and lists the first twenty', async () => {
  const entries = Array.from({ length: 30 }, (_, index) => ({
    documentId: `d${index}`,
    name: index < 25 ? index : 'ok',
  }));
  const { problems, count, message } = await loadError(thingSnapshot({ name }, entries));
  expect(count).toBe(25);
  expect(problems).toHaveLength(20);
  problems.forEach((problem, index) => {
    expect(problem).toContain(`d${index}`);
    expect(problem).toContain('name');
  });
  expect(message).toContain('25');
});

describe('tolerant', () => {
  const attributes = {
    name,
    parent: link('api::thing.thing'),
    friends: links('api::thing.thing'),
    cover: { type: 'media' },
  };
  const entries = [
    { id: 1, documentId: 'a', parent: 'nope', friends: ['b', 'gone', 'a'], cover: 'lost' },
    { id: 2, documentId: 'b', parent: 'a' },
  ];
  test('drops dangling relations and counts them as warnings', async () => {
    expect((await loadError(thingSnapshot(attributes, entries))).count).toBe(3);
    const roles = [{ type: 'public', permissions: ['api::thing.thing.find', 'plugin::upload.content-api.find'] }];
    const content = await open(thingSnapshot(attributes, entries, { roles }), { tolerance: 'tolerant' });
    expect(content.summary.warnings).toEqual([
      { kind: 'dangling-link', count: 3, message: expect.stringMatching(/\(3 times\): .*"nope".*"gone".*"lost"$/) },
    ]);
    const query =
      'fields=id&sort=id&populate[parent][fields]=id&populate[friends][fields]=id&populate[cover][fields]=id';
    expect((await ask(content, '/api/things', query)).body.data).toEqual([
      {
        id: 1,
        documentId: 'a',
        parent: null,
        friends: [
          { id: 2, documentId: 'b' },
          { id: 1, documentId: 'a' },
        ],
        cover: null,
      },
      { id: 2, documentId: 'b', parent: { id: 1, documentId: 'a' }, friends: [], cover: null },
    ]);
  });
  test('still rejects errors', async () => {
    const wrong = thingSnapshot(attributes, [...entries, { id: 1, documentId: 'c' }]);
    const { count, problems } = await loadError(wrong, { tolerance: 'tolerant' });
    expect({ count, problems }).toEqual({ count: 1, problems: [expect.stringContaining('the id 1 is given twice')] });
  });
  test('has no warnings for a valid snapshot', async () => {
    const sound = thingSnapshot(attributes, [{ documentId: 'a', parent: 'a' }]);
    expect((await open(sound)).summary.warnings).toEqual([]);
  });
});

describe('links of components in an export', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  /** Adds a link from the component of the first note to an export. */
  function write({ isPrivate }: { isPrivate: boolean }): string {
    const files = exportSnapshot();
    const schemas = files.get('schemas/schemas_00001.jsonl')!.toString();
    const definition = '"link":{"type":"component"';
    expect(schemas).toContain(definition);
    if (isPrivate) {
      const changed = schemas.replace(definition, `"link":{"private":true,"type":"component"`);
      files.set('schemas/schemas_00001.jsonl', Buffer.from(changed));
    }
    const left = { type: 'part.link', ref: 1, field: 'to' };
    const link = { kind: 'relation.basic', left, right: { type: 'api::writer.writer', ref: 1 } };
    files.set('links/links_00002.jsonl', Buffer.from(`${JSON.stringify(link)}\n`));
    for (const [name, bytes] of files) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    return folder;
  }

  test('drops the links of a private component', async () => {
    const content = await open(write({ isPrivate: true }));
    const { body } = await ask(content, '/api/notes', 'populate=*');
    expect((body.data as object[])[0]).not.toHaveProperty('link');
  });

  test('keeps the links of a public component', async () => {
    const content = await open(write({ isPrivate: false }));
    const { data } = content.find('notes', { populate: { link: { populate: 'to' } }, sort: 'id' });
    expect(data[0].link[0].to).toMatchObject({ id: 1 });
  });
});

describe('files of a snapshot', () => {
  const type = JSON.stringify({ info: { singularName: 'thing', pluralName: 'things' }, attributes: { name } });
  const good = { 'content-types/thing.json': type, 'entries/thing.json': '[]' };
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries({ ...good, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };

  test('accepts entries and roles in an object beside $schema', async () => {
    write({
      'entries/thing.json': '{"$schema": "../x.json", "entries": [{"documentId": "a", "name": "A"}]}',
      'roles.json': '{"$schema": "x", "roles": [{"type": "public", "permissions": ["api::thing.thing.find"]}]}',
    });
    const content = await open(folder);
    expect((await ask(content, '/api/things', 'filters[name]=A')).body.data).toHaveLength(1);
  });

  test.each<[file: string, suggestion: string]>([
    ['role.json', '(did you mean "roles.json"?)'],
    ['content-type/thing.json', '(did you mean "content-types/thing.json"?)'],
    ['entires/thing.json', '(did you mean "entries/thing.json"?)'],
    ['entries/thing.jsn', '(did you mean "entries/thing.json"?)'],
    ['notes.txt', 'a snapshot holds snapshot.json'],
  ])('rejects the unexpected file %s: %s', async (file, suggestion) => {
    write({ [file]: '[]' });
    await expectProblem(folder, file, 'unexpected file', suggestion);
  });

  const linked = JSON.stringify({
    info: { singularName: 'note', pluralName: 'notes' },
    attributes: { thing: link('api::thing.thing') },
  });
  const notes = JSON.stringify([1, 2, 3].map((i) => ({ documentId: `note-${i}`, thing: `thing-${i}` })));
  const withNotes = { 'content-types/note.json': linked, 'entries/note.json': notes };

  test('reports a missing file of entries once', async () => {
    write(withNotes);
    rmSync(join(folder, 'entries/thing.json'));
    expect((await loadError(folder)).problems).toEqual([
      'entries/thing.json: the type has no entries, but 3 relations link to it; the first: entries/note.json, entry note-1, attribute thing: no thing with documentId "thing-1"',
    ]);
  });

  test('reports a misnamed file of entries without follow-up problems', async () => {
    write(withNotes);
    renameSync(join(folder, 'entries/thing.json'), join(folder, 'entries/things.json'));
    expect((await loadError(folder)).problems).toEqual([
      'entries/things.json: no content type has the singular name "things" (did you mean "thing"?)',
    ]);
  });

  test.each([
    ['entries/thing.json', '[{]', 'entries/thing.json:1:3: element 0 is invalid JSON: expected a key in double quotes'],
    ['content-types/thing.json', '{]', 'content-types/thing.json:1:2: invalid JSON: expected a key in double quotes'],
    ['content-types/thing.json', '{}', 'content-types/thing.json: attributes: is required'],
  ])('reports %s with %s without follow-up problems', async (file, text, problem) => {
    write({ ...withNotes, [file]: text });
    expect((await loadError(folder)).problems).toEqual([problem]);
  });

  test.each<[file: string, text: string, ...parts: string[]]>([
    ['content-types/thing.json', `{\n"info": {}\n"attributes": {}}`, ':3:1: ', 'expected ","'],
    [
      'content-types/thing.json',
      type.replace('"attributes"', '\n"info":{},"attributes"'),
      ':2:1: ',
      'duplicate key "info"',
    ],
    ['roles.json', '[{"type":"public",\n"type":"other","permissions":[]}]', ':2:1: ', 'duplicate key "type"'],
    ['snapshot.json', '{"defaultLocale":"en",}', ':1:23: ', 'expected a key in double quotes'],
    ['entries/thing.json', '[\n {"documentId": "a"},\n {"documentId": "ü", "name": x}]', ':3:30: ', 'unexpected "x"'],
    ['entries/thing.json', '[{"documentId":"a",\n"name":"A",\n\n "name":"B"}]', ':4:2: ', 'duplicate key "name"'],
    ['entries/thing.json', '[{"documentId":"a"},\n{"documentId":"b]', ':2:15: ', 'unterminated string'],
    ['entries/thing.json', '[{"documentId":"a"}\n', ':2:1: ', 'the JSON array is not closed'],
    ['entries/thing.json', '{"entries":[],\n"entires":[]}', 'unknown key "entires"'],
    ['roles.json', '{"role":[]}', 'roles'],
  ])('rejects %s with %j and names the location', async (file, text, ...parts) => {
    write({ [file]: text });
    await expectProblem(folder, file, ...parts);
  });
});
