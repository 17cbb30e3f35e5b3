import { describe, expect, test } from 'vitest';
import { parseFilter } from '../../src/query/syntax/filter-nodes.ts';
import { parsePopulate } from '../../src/query/syntax/populate-nodes.ts';
import { parseTree, treeParameters } from '../../src/query/syntax/query-tree.ts';
import { parseSort } from '../../src/query/syntax/sort-nodes.ts';

describe('filters', () => {
  test('names attributes with their whole path', () => {
    const node = parseFilter({ author: { name: { $eq: 'Ada' } } });
    expect(node).toMatchObject({
      kind: 'group',
      path: null,
      members: [
        {
          kind: 'attribute',
          key: 'author',
          parent: null,
          path: 'author',
          value: {
            kind: 'group',
            members: [
              {
                kind: 'attribute',
                key: 'name',
                parent: 'author',
                path: 'author.name',
                value: { members: [{ kind: 'comparison', key: '$eq', path: 'author.name', value: { raw: 'Ada' } }] },
              },
            ],
          },
        },
      ],
    });
  });

  test('distinguishes operators, logical operators and unknown operators', () => {
    const node = parseFilter({ $and: [], $or: [], $not: {}, $in: ['1'], $like: 'a', name: 'b' });
    const kinds = node.kind === 'group' ? node.members.map(({ kind }) => kind) : [];
    expect(kinds).toEqual(['and', 'or', 'not', 'comparison', 'unknown', 'attribute']);
  });

  test('adds no name to a path for operators and items of lists', () => {
    const node = parseFilter({ $or: [{ $not: { title: 'a' } }] });
    expect(node).toMatchObject({
      members: [{ path: null, value: { items: [{ members: [{ value: { members: [{ path: 'title' }] } }] }] } }],
    });
  });

  test('keeps a date and null as single values', () => {
    const date = new Date(0);
    expect(parseFilter(date)).toEqual({ kind: 'value', path: null, raw: date });
    expect(parseFilter(null)).toEqual({ kind: 'value', path: null, raw: null });
  });

  test('takes no operator from the prototype of an object', () => {
    expect(parseFilter({ $constructor: 'a' })).toMatchObject({ members: [{ kind: 'unknown' }] });
    expect(parseFilter({ constructor: 'a' })).toMatchObject({ members: [{ kind: 'attribute' }] });
  });
});

describe('sort', () => {
  test('splits a text at commas and colons', () => {
    expect(parseSort('a.b:desc, c')).toMatchObject({
      kind: 'text',
      keys: [
        { text: 'a.b:desc', path: 'a.b', orders: ['desc'] },
        { text: ' c', path: 'c', orders: [] },
      ],
    });
  });

  test('keeps lists and objects as they are nested', () => {
    expect(parseSort([{ author: { name: 'asc' } }, 'id'])).toMatchObject({
      kind: 'list',
      items: [{ kind: 'object', entries: [['author', { kind: 'object', entries: [['name', { raw: 'asc' }]] }]] }, {}],
    });
    expect(parseSort(7)).toEqual({ kind: 'value', raw: 7 });
  });
});

describe('populate', () => {
  test.each([undefined, null, ''])('%j populates nothing', (raw) => {
    expect(parsePopulate(raw)).toBeNull();
  });

  test('splits texts into paths', () => {
    expect(parsePopulate('author.image, tags,')).toMatchObject({
      kind: 'paths',
      items: [{ paths: [['author', 'image'], ['tags']], text: 'author.image, tags,' }],
    });
    expect(parsePopulate(['a', 1])).toMatchObject({ kind: 'paths', items: null });
  });

  test('names each place by its attributes, its keys and as a URL writes it', () => {
    const raw = { zone: { on: { 'block.quote': { populate: { author: { fields: 'name' } } } } } };
    const node = parsePopulate(raw);
    const zone = node?.kind === 'tree' ? node.entries[0].value : undefined;
    const quote = zone?.kind === 'options' ? zone.on?.entries?.[0].value : undefined;
    const inner = quote?.kind === 'options' ? quote.populate : undefined;
    expect(inner?.kind === 'tree' && inner.entries[0]).toMatchObject({
      key: 'author',
      place: {
        path: 'zone.author',
        keyPath: 'zone.on[block.quote].populate.author',
        typePath: 'zone.block.quote.author',
        url: 'populate[zone][on][block.quote][populate][author]',
      },
      value: { kind: 'options', fields: { items: ['name'], isList: false } },
    });
  });

  test('keeps a single value or a list in place of options', () => {
    expect(parsePopulate({ a: '*', b: ['c'] })).toMatchObject({
      entries: [{ value: { kind: 'value', raw: '*' } }, { value: { kind: 'value', raw: ['c'] } }],
    });
  });
});

describe('other parameters', () => {
  test('are nodes by the form of their value', () => {
    const { parameters } = parseTree({ _q: 'a', status: null, locale: ['en', 'de'], limit: 5, colour: { red: '1' } });
    expect(parameters).toEqual([
      { kind: 'text', param: '_q', raw: 'a' },
      { kind: 'empty', param: 'status', raw: null },
      { kind: 'list', param: 'locale', raw: ['en', 'de'] },
      { kind: 'other', param: 'limit', raw: 5 },
      { kind: 'other', param: 'colour', raw: { red: '1' } },
    ]);
  });

  test('are empty nodes where the query lacks them', () => {
    expect(parseTree({})).toMatchObject({
      status: { kind: 'empty', param: 'status', raw: undefined },
      search: { kind: 'empty', param: '_q' },
      pagination: null,
      parameters: [],
    });
  });

  test('keeps every key of pagination', () => {
    expect(parseTree({ pagination: { page: '2', colour: 'red' } }).pagination?.members).toEqual({
      page: '2',
      colour: 'red',
    });
    expect(parseTree({ pagination: null }).pagination).toEqual({ members: {}, raw: null });
    expect(parseTree({ pagination: ['2'] }).pagination).toEqual({ members: null, raw: ['2'] });
  });
});

test('a tree reads no parameter by name besides those that are declared', () => {
  const read = new Set<unknown>();
  const get = (_: object, name: string | symbol) => void read.add(name);
  parseTree(new Proxy({}, { get }));
  expect(read).toEqual(treeParameters);
});
