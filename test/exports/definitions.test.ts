// Schemas with dangling definitions that Strapi tolerates.
import { describe, expect, test } from 'vitest';
import { loadError } from '../support/broken.ts';
import { ask } from '../support/guide.ts';
import { entity, filesOf, folderOf, kindsOf, link, openParts, type Parts, role, uidOf } from './exports.ts';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: uidOf(target),
  ...more,
});
const name = { type: 'string' };

async function strictProblems(parts: Parts): Promise<string> {
  return (await loadError(folderOf(filesOf(parts)), { tolerance: 'strict' })).message;
}

describe('a relation without a matching inverse', () => {
  const writer = (inverse: object) => ({ name: 'writer', attributes: { name, notes: inverse } });
  const note = (attributes: object) => ({ name: 'note', attributes: { title: name, ...attributes } });
  const entities = [entity('writer', 1, { name: 'Ada' }), entity('note', 1, { title: 'One' })];
  const cases: [string, object, object][] = [
    ['that names no attribute', relation('oneToMany', 'note', { mappedBy: 'author' }), {}],
    ['that names a text', relation('oneToMany', 'note', { mappedBy: 'title' }), {}],
    [
      'that names a relation to another type',
      relation('oneToMany', 'note', { mappedBy: 'parent' }),
      { parent: relation('manyToOne', 'note') },
    ],
    [
      'whose owner does not name it',
      relation('oneToMany', 'note', { mappedBy: 'writer' }),
      { writer: relation('manyToOne', 'writer') },
    ],
    ['to one that names no attribute', relation('oneToOne', 'note', { mappedBy: 'author' }), {}],
    [
      'both of whose sides are mapped',
      relation('oneToOne', 'note', { mappedBy: 'writer' }),
      { writer: relation('oneToOne', 'writer', { mappedBy: 'notes' }) },
    ],
  ];

  test.each(cases)('%s is left out of replies, and may be populated', async (_, inverse, attributes) => {
    const parts = { types: [writer(inverse), note(attributes)], entities };
    const content = await openParts(parts);
    expect(kindsOf(content)['unconnected-relation']).toBeGreaterThan(0);
    for (const query of ['populate=*', 'populate=notes', 'populate[notes][fields]=title', 'populate[0]=notes']) {
      const { status, body } = await ask(content, '/api/writers', query);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([{ name: 'Ada' }]);
      expect((body.data as object[])[0]).not.toHaveProperty('notes');
    }
    expect((await ask(content, '/api/writers', 'filters[notes][title]=One')).status).toBe(400);
    expect((await ask(content, '/api/writers', 'sort=notes.title')).status).toBe(400);
    expect(await strictProblems(parts)).toContain('attribute notes');
  });

  test('is served from the side that owns it', async () => {
    const parts = {
      types: [
        writer(relation('oneToMany', 'note', { mappedBy: 'writer' })),
        note({ writer: relation('manyToOne', 'writer') }),
      ],
      entities,
      links: [link('note.writer', 1, 'writer', 1)],
    };
    const { body } = await ask(await openParts(parts), '/api/notes', 'populate=writer');
    expect(body.data).toMatchObject([{ writer: { name: 'Ada' } }]);
  });

  test('leaves users readable if it is a relation of users', async () => {
    const users = {
      uid: 'plugin::users-permissions.user',
      info: { singularName: 'user', pluralName: 'users' },
      attributes: { username: name, articles: relation('oneToMany', 'note', { mappedBy: 'author' }) },
    };
    const content = await openParts({
      types: [note({})],
      schemas: [users],
      entities: [entity(users.uid, 1, { username: 'ada' })],
    });
    expect(content.find('users', { populate: '*' }).data).toMatchObject([{ username: 'ada' }]);
    expect(kindsOf(content)).toEqual({ 'unconnected-relation': 1 });
  });

  test('keeps its links on the owning side', async () => {
    const content = await openParts({
      types: [
        note({ writer: relation('manyToOne', 'writer', { inversedBy: 'gone' }) }),
        { name: 'writer', attributes: { name } },
      ],
      entities,
      links: [link('note.writer', 1, 'writer', 1)],
    });
    const { body } = await ask(content, '/api/notes', 'populate=writer&filters[writer][name]=Ada');
    expect(body.data).toMatchObject([{ writer: { name: 'Ada' } }]);
    expect(kindsOf(content)).toEqual({ 'unconnected-relation': 1 });
  });
});

test('a relation with different cardinalities on both sides is served on each side as defined', async () => {
  const parts: Parts = {
    types: [
      { name: 'writer', attributes: { name, books: relation('oneToMany', 'book', { mappedBy: 'owner' }) } },
      { name: 'book', attributes: { name, owner: relation('oneToOne', 'writer', { inversedBy: 'books' }) } },
    ],
    entities: [entity('writer', 1), entity('book', 1)],
    links: [link('book.owner', 1, 'writer', 1)],
  };
  const content = await openParts(parts);
  expect(kindsOf(content)).toEqual({ 'relation-cardinality': 1 });
  expect((await ask(content, '/api/writers', 'populate=books')).body.data).toMatchObject([{ books: [{ id: 1 }] }]);
  expect((await ask(content, '/api/books', 'populate=owner')).body.data).toMatchObject([{ owner: { id: 1 } }]);
  expect(await strictProblems(parts)).toContain(
    'attribute books: the relation is oneToMany, but its "mappedBy" api::book.book.owner',
  );
});

describe('a missing type', () => {
  const zone = { type: 'dynamiczone', components: ['part.text', 'part.gone'] };
  const parts: Parts = {
    types: [
      {
        name: 'note',
        attributes: {
          title: name,
          gone: relation('manyToOne', 'gone'),
          part: { type: 'component', component: 'part.gone' },
          zone,
          any: { type: 'relation', relation: 'morphToMany' },
        },
      },
    ],
    components: { 'part.text': { text: name } },
    entities: [
      entity('note', 1, {
        part: { id: 1 },
        zone: [
          { __component: 'part.text', id: 1, text: 'T' },
          { __component: 'part.gone', id: 1 },
        ],
      }),
      entity('gone', 1),
    ],
    links: [link('note.gone', 1, 'gone', 1), link('note.any', 1, 'gone', 1, { kind: 'relation.morph' })],
  };

  test('removes its attributes, entries and links, and nothing else', async () => {
    const content = await openParts(parts);
    expect(kindsOf(content)).toEqual({
      'missing-type': 3,
      'entry-without-type': 1,
      'wrong-component': 1,
      'foreign-link': 1,
      'dangling-link': 1,
    });
    const { body } = await ask(content, '/api/notes', 'populate[zone]=true&populate[any]=true');
    expect(body.data).toMatchObject([{ zone: [{ text: 'T' }] }]);
    expect((await ask(content, '/api/notes', 'populate=gone')).status).toBe(400);
  });
});

describe('an attribute', () => {
  const served = async (definition: object, value: unknown) => {
    const types = [{ name: 'note', attributes: { value: definition } }];
    const content = await openParts({ types, entities: [entity('note', 1, { value })] });
    const { data } = content.find('notes');
    return { value: data[0].value, warnings: kindsOf(content) };
  };

  test.each<[string, object, unknown]>([
    ['a custom field', { type: 'customField', customField: 'plugin::color-picker.color' }, '#ff0000'],
    ["a plugin's type", { type: 'plugin::color-picker.color' }, { hue: 3 }],
    ['an unknown type', { type: 'money' }, 12.5],
    ['no type', {}, [1, 'x']],
  ])('of %s is served unchanged', async (_, definition, value) => {
    expect(await served(definition, value)).toEqual({ value, warnings: { 'unknown-attribute-type': 1 } });
  });

  test('has the type of its custom field if both are given', async () => {
    const definition = { type: 'string', customField: 'plugin::color-picker.color' };
    expect(await served(definition, '#f00')).toEqual({ value: '#f00', warnings: {} });
  });

  test('accepts any text if it is an enumeration without values', async () => {
    expect(await served({ type: 'enumeration' }, 'x')).toEqual({ value: 'x', warnings: { 'wrong-definition': 1 } });
  });

  test.each(['odd name', 'a.b', '12'])('called %j is served', async (odd) => {
    const types = [{ name: 'note', attributes: { [odd]: name } }];
    const content = await openParts({ types, entities: [entity('note', 1, { [odd]: 'x' })] });
    expect(content.find('notes').data[0][odd]).toBe('x');
    expect(kindsOf(content)).toEqual({ 'wrong-definition': 1 });
  });

  test('does not replace a built-in attribute of the same name', async () => {
    const attributes = { id: name, documentId: name, createdAt: name, locale: name, status: name, localizations: name };
    const types = [{ name: 'note', attributes }];
    const content = await openParts({ types, entities: [entity('note', 1, { status: 'open' })] });
    expect((await ask(content, '/api/notes')).body.data).toMatchObject([
      { id: 1, documentId: 'note-1', status: 'open' },
    ]);
    expect(kindsOf(content)).toEqual({});
  });
});

test("a project's own type called users comes before the users of the plugin", async () => {
  const users = {
    uid: 'plugin::users-permissions.user',
    info: { singularName: 'user', pluralName: 'users' },
    attributes: { username: name, role: { type: 'relation', relation: 'manyToOne', target: role } },
  };
  const content = await openParts({
    types: [{ name: 'user', attributes: { nick: name } }],
    schemas: [users],
    entities: [entity('user', 1, { nick: 'own' }), entity(users.uid, 1, { username: 'plugin' })],
  });
  expect((await ask(content, '/api/users')).body.data).toMatchObject([{ nick: 'own' }]);
  expect((await ask(content, '/api/users/me')).status).toBe(404);
});

test('a type defined twice equally is one type, a type defined twice differently is an error', async () => {
  const files = filesOf({ types: [{ name: 'note', attributes: { title: name } }] });
  const [first, ...rest] = files.get('schemas/schemas_00001.jsonl')!.split('\n');
  const write = (second: string) =>
    folderOf([...files, ['schemas/schemas_00001.jsonl', [first, second, ...rest].join('\n')]]);
  const { open } = await import('../../src/index.ts');
  expect(kindsOf(await open(write(first)))).toEqual({ 'wrong-definition': 1 });
  expect((await loadError(write(first.replace('title', 'name')))).message).toContain('has two different definitions');
});

test.each<[string, Parts, string]>([
  [
    'two types with one route',
    { types: ['a', 'b'].map((each) => ({ name: each, plural: 'things', attributes: {} })) },
    'have the same route',
  ],
  [
    'a relation without a target',
    { types: [{ name: 'note', attributes: { to: { type: 'relation', relation: 'oneToOne' } } }] },
    '"target" is missing',
  ],
  [
    'an unknown kind of relation',
    { types: [{ name: 'note', attributes: { to: relation('someToSome', 'note') } }] },
    'unknown relation',
  ],
])('%s, with which Strapi does not start, is an error', async (_, parts, message) => {
  expect((await loadError(folderOf(filesOf(parts)))).message).toContain(message);
});

test('a definition of the wrong form is reported with its value', async () => {
  const schemas = [{ uid: uidOf('note'), kind: 7, attributes: {} }];
  const { problems } = await loadError(folderOf(filesOf({ schemas })));
  expect(problems).toContainEqual(
    expect.stringMatching(/schemas_00001.jsonl:\d+: kind: must be of type string, is 7$/),
  );
});

test.each([
  [null, '"data" is missing'],
  ['text', '"data" must be an object, not "text"'],
])('an entry whose data is %j is an error', async (data, message) => {
  const note = { name: 'note', attributes: { name } };
  const entities = [{ type: uidOf('note'), id: 1, data: data as unknown as object }];
  const { problems } = await loadError(folderOf(filesOf({ types: [note], entities })));
  expect(problems).toEqual([expect.stringContaining(`${uidOf('note')} 1: ${message}`)]);
});
