// Rules of the recorded service for filters and sorts that the dialect `strapi` follows and `document` does not.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { comparedJsonText, jsonText } from '../../src/model/schema/compared-texts.ts';
import { parseInstant } from '../../src/query/strapi/casts.ts';
import { ask, idsOf, thingSnapshot } from '../support/guide.ts';

const thing = {
  info: { singularName: 'thing', pluralName: 'things' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    name: { type: 'string' },
    seen: { type: 'datetime' },
    born: { type: 'date' },
    size: { type: 'integer' },
    extra: { type: 'json' },
    secret: { type: 'string', private: true },
    closed: { type: 'relation', relation: 'manyToOne', target: 'api::closed.closed' },
    part: { type: 'relation', relation: 'oneToOne', target: 'api::part.part' },
  },
};
const snapshot = {
  ...thingSnapshot({}, []),
  settings: { defaultLocale: 'en', locales: ['en', 'fr'].map((code) => ({ code, name: code })) },
  contentTypes: [
    thing,
    { info: { singularName: 'closed', pluralName: 'closeds' }, attributes: { name: { type: 'string' } } },
    { info: { singularName: 'part', pluralName: 'parts' }, attributes: { name: { type: 'string' } } },
  ],
  entries: {
    part: [
      { id: 1, documentId: 'p', name: 'bolt' },
      { id: 2, documentId: 'q', name: 'nut' },
    ],
    closed: [],
    thing: [
      { id: 1, documentId: 'a', locale: 'en', name: 'b_d', seen: '2003-01-01T00:00:00.000Z', size: 2, part: 'q' },
      { id: 2, documentId: 'a', locale: 'en', status: 'draft', name: 'draft of a' },
      { id: 3, documentId: 'a', locale: 'fr', name: 'un', extra: { b: 1, a: 'X', long: [1, null] } },
      { id: 4, documentId: 'b', locale: 'en', name: 'bcd', size: 1, extra: { unit: 'CM' }, part: 'p' },
      { id: 5, documentId: 'b', locale: 'en', status: 'draft', name: 'draft of b' },
      { id: 6, documentId: 'c', locale: 'en', name: 'alone', seen: '2001-05-01T00:00:00.000Z', born: '2001-05-01' },
    ],
  },
  roles: [
    {
      type: 'public',
      permissions: ['thing', 'part'].flatMap((n) => [`api::${n}.${n}.find`, `api::${n}.${n}.findOne`]),
    },
  ],
};

let document: Content;
let strapi: Content;
beforeAll(async () => {
  document = await open(snapshot as never, { dialect: 'document' });
  strapi = await open(snapshot as never, { dialect: 'strapi' });
});

async function refusal(content: Content, path: string, query: string): Promise<string> {
  const { status, body } = await ask(content, path, query);
  expect(status, query).toBe(400);
  return body.error!.message;
}

describe('an empty sort', () => {
  test.each([
    'sort[name]',
    'sort[name]=',
    'sort[0][0]=x',
    'sort[][name]=asc&sort[][name]=desc',
    'sort[0][nope]',
    'sort=status:desc',
    'sort[status]=asc',
    'sort=status.x',
    'sort=part.status:asc',
    'sort[0]=status:asc&sort[1]=status:desc',
  ])('%s', async (query) => {
    expect(await idsOf(strapi, '/api/things', query)).toEqual([1, 4, 6]);
  });

  test('is ignored beside other keys, and an invalid order is an error', async () => {
    expect(await idsOf(strapi, '/api/things', 'sort=status:desc,name')).toEqual([6, 1, 4]);
    expect(await idsOf(strapi, '/api/things', 'sort[name]=desc&sort[size]=')).toEqual([4, 1, 6]);
    expect(await refusal(strapi, '/api/things', 'sort[name]=desc&sort[size]')).toMatch(/^Invalid sort type/);
  });

  test.each(['sort=status', 'sort[status]', 'filters[status]=a', 'fields=status'])(
    'but %s is a mistake',
    async (query) => {
      expect(await refusal(strapi, '/api/things', query)).toBe('Invalid key status');
    },
  );

  test('status is an ordinary name on types without drafts and in the dialect document', async () => {
    expect(await refusal(strapi, '/api/parts', 'sort=status:asc')).toBe('Invalid key status');
    expect(await refusal(document, '/api/things', 'sort=status:asc')).toBe(
      'Invalid key status: there is no such attribute',
    );
  });
});

describe('wrong names are reported in a fixed order', () => {
  test.each([
    ['filters[secret]=1&filters[nope]=1', 'Invalid key nope'],
    ['filters[closed][name]=1&filters[secret]=1', 'Invalid key secret'],
    ['filters[closed][nope]=1', 'Invalid key nope at closed'],
    ['filters[closed][name]=1', 'Invalid key closed'],
    ['filters[createdBy][$like]=1', 'Invalid key $like at createdBy'],
    ['filters[createdBy][username]=1', 'Invalid key createdBy'],
    ['filters[id][$like]=1', 'Invalid key $like'],
    ['filters[part][id][$like]=1', 'Invalid key $like at part'],
    ['filters[seen]=never&sort=nope', 'Invalid key nope'],
    ['filters[seen]=never&populate=nope', 'Invalid key nope'],
    ['sort=part:desc', 'Invalid key desc at part'],
    ['sort[part]=x', 'Invalid key x at part'],
    ['sort[part][0]=asc', 'Invalid key asc at part'],
    ['sort=part', 'Invalid key part'],
    ['sort=closed,secret', 'Invalid key secret'],
    ['sort=closed,closed.nope', 'Invalid key nope at closed'],
    ['sort=closed.name', 'Invalid key closed'],
    ['sort=name :asc', 'Invalid key name '],
    ['sort[part.name]=asc', 'Invalid key part.name'],
  ])('%s: %s', async (query, message) => {
    expect(await refusal(strapi, '/api/things', query)).toBe(message);
  });
});

test('localizations in filters and sorts are all rows of a document', async () => {
  expect(await idsOf(strapi, '/api/things', 'filters[localizations][$null]=true')).toEqual([]);
  expect(await idsOf(strapi, '/api/things', 'filters[localizations][id]=1')).toEqual([1]);
  expect(await idsOf(strapi, '/api/things', 'filters[localizations][name]=draft of b')).toEqual([4]);
  expect(await idsOf(strapi, '/api/things', 'sort=localizations.name:desc')).toEqual([1, 4, 6]);
  expect(await idsOf(document, '/api/things', 'filters[localizations][$null]=true')).toEqual([4, 6]);
  expect(await idsOf(document, '/api/things', 'filters[localizations][id]=3')).toEqual([1]);
});

test('a locale at the top of the filters replaces the parameter', async () => {
  expect(await idsOf(strapi, '/api/things', 'filters[locale]=fr')).toEqual([3]);
  expect(await idsOf(strapi, '/api/things', 'filters[locale][$notNull]=true&locale=xx')).toEqual([1, 3, 4, 6]);
  expect(await idsOf(strapi, '/api/things', 'filters[$and][0][locale]=fr')).toEqual([]);
  expect(await idsOf(document, '/api/things', 'filters[locale]=fr')).toEqual([]);
  expect((await ask(strapi, '/api/things/a', 'filters[locale]=fr')).body.data).toMatchObject({ id: 3 });
  expect((await ask(strapi, '/api/things/a', 'locale=*')).status).toBe(404);
});

test('the documentId of the path replaces one at the top of the filters', async () => {
  expect((await ask(strapi, '/api/things/a', 'filters[documentId]=b')).body.data).toMatchObject({ id: 1 });
  expect((await ask(document, '/api/things/a', 'filters[documentId]=b')).status).toBe(404);
});

describe('requests for one entry that Strapi fails on are a 400', () => {
  test.each([
    'filters[name][$or][0][$eq]=none',
    'filters[size][$contains]=9',
    'filters[size]=2.5',
    'filters[size]=99999999999',
    'filters[part][$not][name]=bolt',
    'filters[part][$gt]=5&filters[part][$lt]=6',
    'filters[part][$gt]=5&filters[part][name]=x',
    'filters[part][$or][0][$gt]=5',
    'filters[$or][name]=none',
    'filters[$not][0][publishedAt][$notNull]=true',
    'filters[0][name]=none',
    'sort=id,part.name,id',
  ])('%s', async (query) => {
    const { body } = await ask(strapi, '/api/things/a', query);
    expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
    expect((await ask(strapi, '/api/things', query)).status).toBe(200);
    expect([200, 404]).toContain((await ask(document, '/api/things/a', query)).status);
  });

  test.each([
    'filters[name][$not][$eq]=b_d',
    'filters[part][$or][0][name]=none',
    'filters[part][$gt]=5',
    'filters[$not][0][name]=b_d',
    'filters[$or][0][size]=7',
    'filters[size][$eqi]=2.5',
  ])('but %s is a plain miss', async (query) => {
    expect((await ask(strapi, '/api/things/a', query)).status).toBe(404);
  });
});

test('an underscore in _q matches any character, and _q searches the locale', async () => {
  expect(await idsOf(strapi, '/api/things', '_q=B_D')).toEqual([1, 4]);
  expect(await idsOf(strapi, '/api/things', '_q=.')).toEqual([]);
  expect(await idsOf(strapi, '/api/things', '_q=_.')).toEqual([]);
  expect(await idsOf(strapi, '/api/things', '_q=EN')).toEqual([1, 4, 6]);
  expect(await idsOf(document, '/api/things', '_q=b_d')).toEqual([1]);
  expect(await idsOf(document, '/api/things', '_q=EN')).toEqual([]);
});

test('errors in hasPublishedVersion are reported after wrong names, and beside publicationFilter', async () => {
  const filter = 'publicationFilter=has-published-version';
  const message = /^Invalid value for 'hasPublishedVersion'/;
  expect(await refusal(strapi, '/api/things', `hasPublishedVersion=x&${filter}`)).toMatch(message);
  expect(await refusal(strapi, '/api/things', 'hasPublishedVersion=x&sort=nope')).toBe('Invalid key nope');
  expect(await idsOf(strapi, '/api/things', `hasPublishedVersion=false&${filter}`)).toEqual([1, 4]);
});

test('a null in fields is ignored', async () => {
  const first = async (query: string) => (await ask(strapi, '/api/things', query)).body.data as object[];
  expect((await first('fields[]'))[0]).toEqual({ id: 1, documentId: 'a' });
  expect((await first('fields[]=name&fields[]'))[0]).toEqual({ id: 1, documentId: 'a', name: 'b_d' });
});

describe('json', () => {
  test.each([
    ['[$containsi]="unit": "cm"', [4]],
    ['[$startsWithi]={"a": "x", "b": 1', [3]],
    ['[$eqi]={"A": "x", "B": 1, "long": [1, NULL]}', [3]],
    ['[$notContainsi]=unit', [3]],
    ['={"unit":"CM"}', [4]],
    ['={"unit":"cm"}', []],
    ['[$ne]={"unit":"CM"}', [3]],
    ['[$in][0]={"long":[1,null],"a":"X","b":1}', [3]],
    ['[$null]=false', [3, 4]],
  ])('filters[extra]%s', async (condition, ids) => {
    expect(await idsOf(strapi, '/api/things', `locale=*&filters[extra]${condition}`)).toEqual(ids);
  });

  test('filters on JSON reject invalid JSON, operators of order or case, and all operators in the dialect document', async () => {
    expect(await refusal(strapi, '/api/things', 'filters[extra]=abc')).toMatch(/expected JSON/);
    for (const operator of ['$gt', '$contains', '$between']) {
      expect(await refusal(strapi, '/api/things', `filters[extra][${operator}]=1`)).toMatch(/cannot be used on extra/);
    }
    expect(await refusal(document, '/api/things', 'filters[extra][$containsi]=1')).toMatch(
      /on extra: \$containsi cannot be used on the type json/,
    );
  });

  test('is formatted as PostgreSQL formats it', () => {
    expect(jsonText({ é: 1, zz: [], b: { c: null }, a: 'ä"\n' })).toBe(
      '{"a": "ä\\"\\n", "b": {"c": null}, "zz": [], "é": 1}',
    );
    expect(jsonText([1e21, -1.5e-7, 1e-7, 0.1, -0])).toBe('[1000000000000000000000, -0.00000015, 0.0000001, 0.1, 0]');
    expect(comparedJsonText('"text"', 'jsonb')).toBe('"text"');
    expect(comparedJsonText('text', 'jsonb')).toBe('"text"');
  });
});

describe('instants', () => {
  test.each([
    ['2003', '2003-01-01T00:00:00.000Z'],
    ['20', '2000-01-01T00:00:00.000Z'],
    ['200105', '2001-05-01T00:00:00.000Z'],
    ['2001-05', '2001-05-01T00:00:00.000Z'],
    ['20100102', '2010-01-02T00:00:00.000Z'],
    ['2010032', '2010-02-01T00:00:00.000Z'],
    ['2000-366', '2000-12-31T00:00:00.000Z'],
    ['2010-W01', '2010-01-04T00:00:00.000Z'],
    ['2009W537', '2010-01-03T00:00:00.000Z'],
    ['2001-02-03T10', '2001-02-03T10:00:00.000Z'],
    ['2001-02-03 04:05:06,5', '2001-02-03T04:05:06.500Z'],
    ['2001-02-03T10.5Z', '2001-02-03T10:30:00.000Z'],
    ['2001-02-03T10:30+02', '2001-02-03T08:30:00.000Z'],
    ['2001-02-03T1030-0230', '2001-02-03T13:00:00.000Z'],
    ['2001-02-03T24:00', '2001-02-04T00:00:00.000Z'],
    ['2001-02-03Z', '2001-02-03T00:00:00.000Z'],
    ['-000100', '-000100-01-01T00:00:00.000Z'],
    ['-1000', '-100000-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Date(parseInstant(text)!).toISOString()).toBe(instant);
  });

  test.each([
    '',
    '2001-366',
    '2001-02-29',
    '2001-13',
    '2001-W54',
    '2001-W01-8',
    '2001-1-1',
    '10:30',
    ' 2001',
    '2001-02-03T25:00',
    '2001-02-03T10:60',
    '2001-02-03T10:30+02:60',
    '2001 02 03',
  ])('%j is not an instant', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('digits in filters that are no date are milliseconds, and all digits are in the dialect document', async () => {
    expect(await idsOf(strapi, '/api/things', 'filters[seen][$gte]=2003')).toEqual([1]);
    expect(await idsOf(strapi, '/api/things', 'filters[seen]=200105')).toEqual([6]);
    expect(await idsOf(strapi, '/api/things', 'filters[seen]=1041379200000')).toEqual([1]);
    expect(await idsOf(document, '/api/things', 'filters[seen][$gte]=2003')).toEqual([1, 6]);
    for (const bad of ['filters[seen]= 2003', 'filters[seen]=1e12', 'filters[seen]=99999999999999999']) {
      expect(await refusal(strapi, '/api/things', bad)).toBe('Invalid format, expected a timestamp or an ISO date');
    }
    expect(await refusal(strapi, '/api/things', 'filters[born]=2010-02-30')).toBe('Invalid date');
  });
});

test('midnight at the end of a day is served and compared as the start of the next', async () => {
  const content = await open(
    thingSnapshot({ at: { type: 'datetime' } }, [{ id: 1, documentId: 'a', at: '2023-01-01T24:00:00.000Z' }]),
  );
  const { data } = content.find('things', { filters: { at: '2023-01-02T00:00:00Z' } });
  expect(data.map(({ at }: { at: string }) => at)).toEqual(['2023-01-02T00:00:00.000Z']);
});

test('names of the object prototype in sort are an invalid sort', async () => {
  for (const sort of ['constructor', 'id,toString', 'part.valueOf', '__proto__', 'hasOwnProperty:desc']) {
    expect(await refusal(strapi, '/api/things', `sort=${sort}`), sort).toBe('Invalid sort query');
    expect(await refusal(strapi, '/api/things', `sort[0]=${sort}`), sort).toBe('Invalid sort query');
  }
});

test('localizations filtered through a relation return their sort attributes', async () => {
  const keys = async (options: string) => {
    const query = `filters[id]=1&populate[localizations][fields]=documentId&populate[localizations][sort]=name${options}`;
    const { body } = await ask(strapi, '/api/things', query);
    const [{ localizations }] = body.data as { localizations: object[] }[];
    return localizations.map((entry) => Object.keys(entry));
  };
  expect(await keys('')).toEqual([['id', 'documentId']]);
  expect(await keys('&populate[localizations][filters][name]=un')).toEqual([['id', 'documentId']]);
  const through = '&populate[localizations][filters][part][name][$null]=true';
  expect(await keys(through)).toEqual([['id', 'documentId', 'name']]);
});
