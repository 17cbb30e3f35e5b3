import { isPolymorphic, type Type } from './content.ts';
import type { Query, QueryContext } from './query-context.ts';
import { openLinks } from './query-context.ts';

type Mistake = (context: QueryContext, type: Type, query: Query) => void;

/** Invalid names: unknown, private, hidden, in another case, of another layer. */
const wrongNames = [
  'nope',
  'createdBy',
  'updatedBy',
  'localizations',
  'locale',
  'access',
  'valuation',
  'origin',
  'draftOf',
  'policy',
  'sections',
  'subject',
  'Title',
  'ID',
  'document_id',
  'constructor',
  'toString',
  '__proto__',
  '$nope',
  '0',
  '',
];

const wrongOperands: unknown[] = [
  'abc',
  '',
  null,
  'true',
  '12:00',
  '2020-13-45',
  '1e999',
  '99999999999',
  { a: 1 },
  [[]],
];

const allOperators =
  '$eq $eqi $ne $nei $lt $lte $gt $gte $in $notIn $contains $containsi $notContains $startsWith $endsWithi $null $between $not $and $or'.split(
    ' ',
  );

const mistakes: Record<string, Mistake> = {
  'a wrong name in filters': ({ random }, _type, query) => {
    query.filters = nest(random.pick([0, 0, 1]), random.pick(wrongNames), { $eq: 'a' }, random.pick(['$and', '$not']));
  },
  'a wrong name behind a relation in filters': (context, type, query) => {
    query.filters = {
      [linkOf(context, type)]: { [context.random.pick(wrongNames)]: context.random.pick(['a', { $eq: 1 }]) },
    };
  },
  'a wrong operator': ({ random }, type, query) => {
    const operator = random.pick([
      '$equal',
      '$EQ',
      '$like',
      'eq',
      '$contain',
      '$jsonSupersetOf',
      '$where',
      '$elemMatch',
    ]);
    query.filters = { [random.pick(Object.keys(type.attributes))]: { [operator]: 'a' } };
  },
  'a wrong operand': ({ random }, type, query) => {
    const name = random.pick(Object.keys(type.attributes));
    query.filters = { [name]: { [random.pick(allOperators)]: random.pick(wrongOperands) } };
  },
  'an operator at the root': ({ random }, _type, query) => {
    query.filters = { [random.pick(allOperators)]: random.pick(['a', '1', ['1'], {}, { $eq: '1' }]) };
  },
  'wrong filters': ({ random }, _type, query) => {
    query.filters = random.pick(['', 'abc', [], ['a'], [{ id: 1 }, { id: 2 }], { id: {} }, null]);
  },
  'a wrong name in sort': ({ random }, _type, query) => {
    const name = random.pick(wrongNames);
    query.sort = random.pick([name, [name, 'id'], { [name]: 'asc' }, `id,${name}:desc`]);
  },
  'a wrong name behind a relation in sort': (context, type, query) => {
    const [link, name] = [linkOf(context, type), context.random.pick([...wrongNames, 'id.id'])];
    query.sort = context.random.pick([`${link}.${name}`, { [link]: { [name]: 'asc' } }]);
  },
  'a wrong sort': ({ random }, type, query) => {
    const name = random.pick(Object.keys(type.attributes));
    query.sort = random.pick([
      name,
      `${name}:up`,
      `${name}:asc:desc`,
      ':asc',
      ',',
      '',
      { [name]: 'x' },
      { [name]: '' },
      { [name]: null },
      { [name]: null, id: 'desc' },
      `${name}.status:asc`,
      [[name]],
      null,
    ]);
  },
  'a wrong name in fields': ({ random }, type, query) => {
    const name = random.pick([...wrongNames, ...Object.keys(type.attributes)]);
    query.fields = random.pick([name, ['id', name], `id,${name}`]);
  },
  'wrong fields': ({ random }, _type, query) => {
    query.fields = random.pick(['', { a: 'id' }, [''], ['id', ''], [['id']], null, 'id.', ' id ']);
  },
  'a wrong name in populate': ({ random }, type, query) => {
    const name = random.pick([...wrongNames, ...Object.keys(type.attributes)]);
    query.populate = random.pick<unknown>([
      name,
      [name],
      `${name},id`,
      { [name]: true },
      { [name]: 'x' },
      { [name]: '*' },
    ]);
  },
  'a wrong name behind a relation in populate': (context, type, query) => {
    const [link, name] = [linkOf(context, type), context.random.pick(wrongNames)];
    const option = context.random.pick(['fields', 'sort', 'populate', 'filters']);
    const value = option === 'filters' ? { [name]: 'a' } : context.random.pick([name, [name], { [name]: true }]);
    query.populate = context.random.pick<unknown>([`${link}.${name}`, { [link]: { [option]: value } }]);
  },
  'a name of the target in place of options': (context, type, query) => {
    const links = openLinks(type).filter(([, attribute]) => !isPolymorphic(attribute));
    if (links.length === 0) return;
    const { random, content } = context;
    const [link, attribute] = random.pick(links);
    const name = random.pick([...wrongNames, 'id', 'true', ...Object.keys(content.target(attribute).attributes)]);
    const said = random.pick<unknown>([
      { [name]: true },
      { [name]: { fields: 'id' } },
      name,
      `${name}.id`,
      [name],
      ['true', name],
      ['true', { populate: name }],
      { populate: [name, ''] },
      { populate: { [name]: true } },
      { populate: `${name}.` },
    ]);
    query.populate = { [link]: said };
  },
  'a wrong option of populate': (context, type, query) => {
    const option = context.random.pick(['limit', 'start', 'page', 'pageSize', 'pagination', 'status', 'locale', 'foo']);
    const { [linkOf(context, type)]: _, ...rest } = {} as Query;
    const extra = context.random.pick<Query>([
      { [option]: 1 },
      { count: 'x' },
      { on: { 'zone.quote': true } },
      { on: {} },
      { fields: '' },
      { filters: 'a' },
      { sort: 'id:up' },
      { populate: 'nope' },
      { ordering: 'id' },
    ]);
    query.populate = { ...rest, [linkOf(context, type)]: extra };
  },
  'a wrong populate': ({ random }, _type, query) => {
    query.populate = random.pick([
      '',
      'true',
      '**',
      ' * ',
      ['*'],
      ['', 'id'],
      [['*']],
      null,
      { '*': true },
      { 0: { a: 1 } },
    ]);
  },
  'a wrong fragment': (context, type, query) => {
    const zones = openLinks(type).filter(([, attribute]) => isPolymorphic(attribute));
    if (zones.length === 0) return;
    const [name] = context.random.pick(zones);
    query.populate = {
      [name]: context.random.pick<unknown>([
        '*',
        ['*'],
        { populate: 'label' },
        { populate: ['*'] },
        { fields: ['id'] },
        { on: 'zone.quote' },
        { on: { 'zone.nope': true } },
        { on: { 'detail.size': true } },
        { on: { 'api::artist.artist': { filters: { id: 1 } } } },
        { on: { 'zone.quote': { fields: ['nope'] } } },
        { on: { 'zone.pointer': { populate: 'nope' } } },
        { on: { 'zone.pointer': '*' } },
        { on: { 'zone.quote': { sort: 'id' } } },
      ]),
    };
  },
  'wrong pagination': ({ random }, _type, query) => {
    query.pagination = random.pick([
      { page: 'abc' },
      { pageSize: '' },
      { start: -1 },
      { limit: 'x' },
      { page: 1, limit: 2 },
      { page: 1.5 },
      { withCount: 'maybe' },
      { pageSize: 2, withCount: '' },
      'x',
      ['1'],
      { foo: 1 },
      { page: { a: 1 } },
      { start: '1e1' },
      { page: null },
      '',
    ]);
  },
  'a wrong parameter': ({ random }, _type, query) => {
    const name = random.pick([
      'foo',
      'where',
      'lookup',
      'limit',
      'start',
      'page',
      'pageSize',
      'count',
      'ordering',
      'on',
    ]);
    query[name] = random.pick(['1', 'x', { id: 1 }, ['a']]);
  },
  'a wrong status or locale': ({ random }, _type, query) => {
    const name = random.pick(['status', 'locale', '_q']);
    query[name] = random.pick([['draft'], { a: 'en' }, '', null, ' en', 'EN']);
  },
};

/** Puts a mistake into a query and says which. */
export function addMistake(context: QueryContext, type: Type, query: Query): string {
  const name = context.random.pick(Object.keys(mistakes));
  mistakes[name](context, type, query);
  return name;
}

function linkOf({ random }: QueryContext, type: Type): string {
  const links = openLinks(type);
  return links.length === 0 ? 'nope' : random.pick(links)[0];
}

function nest(depth: number, name: string, condition: Query, operator: string): Query {
  const inner = { [name]: condition };
  return depth === 0 ? inner : { [operator]: operator === '$not' ? inner : [inner] };
}
