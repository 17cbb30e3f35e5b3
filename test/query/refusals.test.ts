// The dialect `document`: every kind of 400 names location, value and what is expected, over HTTP and in the library.
import qs from 'qs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content, Query } from '../../src/index.ts';
import { RequestError } from '../../src/index.ts';
import { ask, openGuide } from '../support/guide.ts';

interface Refused {
  query: string;
  /** The details. `value` is absent if only the key is wrong. */
  details: { key: string; path: string | null; param: string; value?: unknown };
  /** The part of the message that states what is expected. */
  says: string;
  /** A valid query of the same form. */
  good?: string;
}

const filter = (path: string, key: string, value: unknown) => ({ key, path, param: 'filters', value });
const page = (key: string, value?: unknown) => ({ key, path: key, param: 'pagination', value });
const populate = (key: string, path: string | null, value?: unknown) => ({ key, path, param: 'populate', value });
const words = 'expected true, false, 1, 0, t or f';

const values: Refused[] = [
  { query: 'filters[vegan]=no', details: filter('vegan', '$eq', 'no'), says: words, good: 'filters[vegan]=False' },
  { query: 'filters[vegan][$ne]=', details: filter('vegan', '$ne', ''), says: words, good: 'filters[vegan][$ne]=T' },
  { query: 'filters[name][$null]=yes', details: filter('name', '$null', 'yes'), says: words },
  { query: 'filters[name][$null]', details: filter('name', '$null', null), says: words },
  { query: 'filters[chef][name][$notNull]=2', details: filter('chef.name', '$notNull', '2'), says: words },
  {
    query: 'filters[opened][$gt]=soon',
    details: filter('opened', '$gt', 'soon'),
    says: 'expected a date (YYYY-MM-DD)',
    good: 'filters[opened][$gt]=2020-01-01',
  },
  {
    query: 'filters[opened]=2026-02-30',
    details: filter('opened', '$eq', '2026-02-30'),
    says: 'there is no such date',
  },
  { query: 'filters[opened]=2026-02-03x', details: filter('opened', '$eq', '2026-02-03x'), says: 'expected a date' },
  {
    query: 'filters[kitchenOpens]=noon',
    details: filter('kitchenOpens', '$eq', 'noon'),
    says: 'expected a time (HH:mm:ss',
    good: 'filters[kitchenOpens]=12:00:00',
  },
  {
    query: 'filters[inspectedAt][$lt]=later',
    details: filter('inspectedAt', '$lt', 'later'),
    says: 'expected an ISO 8601 datetime or milliseconds',
    good: 'filters[inspectedAt][$lt]=2020-01-01',
  },
  {
    query: 'filters[stampedAt][$in][0]=1&filters[stampedAt][$in][1]=x',
    details: filter('stampedAt', '$in', 'x'),
    says: 'expected an ISO 8601',
  },
  {
    query: 'filters[seats]=many',
    details: filter('seats', '$eq', 'many'),
    says: 'expected a number',
    good: 'filters[seats]=1',
  },
  {
    query: 'filters[chef]=ada',
    details: filter('chef', '$eq', 'ada'),
    says: 'expected an id, because chef leads to entries; to filter by their attributes, use filters[chef][<attribute>]',
    good: 'filters[chef]=1',
  },
  {
    query: 'filters[chef][mentor][$in][0]=ada',
    details: filter('chef.mentor', '$in', 'ada'),
    says: 'use filters[chef][mentor][<attribute>]',
  },
  { query: 'filters[chef][id]=ada', details: filter('chef.id', '$eq', 'ada'), says: 'chef.id: expected a number' },
  { query: 'filters[visits]=1.5', details: filter('visits', '$eq', '1.5'), says: 'expected a whole number' },
  { query: 'filters[seats][$gt][a]=1', details: filter('seats', '$gt', { a: '1' }), says: 'expected a single value' },
  {
    query: 'filters[seats][$between]=1',
    details: filter('seats', '$between', ['1']),
    says: 'exactly two values, not 1',
  },
  { query: 'filters[extras][$eq]=1', details: filter('extras', '$eq', '1'), says: 'only $null and $notNull' },
  {
    query: 'pagination[page]=1.5',
    details: page('page', '1.5'),
    says: 'expected a whole number',
    good: 'pagination[page]=1',
  },
  { query: 'pagination[page]=0x2', details: page('page', '0x2'), says: 'expected a whole number' },
  { query: 'pagination[page]=1e1', details: page('page', '1e1'), says: 'expected a whole number' },
  { query: 'pagination[page]=', details: page('page', ''), says: 'expected a whole number' },
  { query: 'pagination[page]=%201', details: page('page', ' 1'), says: 'expected a whole number' },
  { query: 'pagination[page]', details: page('page', null), says: 'expected a whole number' },
  { query: 'pagination[pageSize]=all', details: page('pageSize', 'all'), says: 'expected a whole number' },
  { query: 'pagination[start]=2.0', details: page('start', '2.0'), says: 'expected a whole number' },
  { query: 'pagination[limit][]=5', details: page('limit', ['5']), says: 'expected a whole number' },
  { query: 'pagination[page]=9007199254740993', details: page('page', '9007199254740993'), says: 'too large' },
  { query: 'pagination[withCount]=maybe', details: page('withCount', 'maybe'), says: words },
  {
    query: 'pagination=2',
    details: { key: 'pagination', path: null, param: 'pagination', value: '2' },
    says: 'an object',
  },
  { query: 'pagination[page]=1&pagination[limit]=2', details: page('limit'), says: 'page and limit' },
  {
    query: 'sort=name:asc:desc',
    details: { key: 'name', path: 'name', param: 'sort', value: 'name:asc:desc' },
    says: 'one order',
  },
  {
    query: 'sort=chef.name:',
    details: { key: 'name', path: 'chef.name', param: 'sort', value: 'chef.name:' },
    says: 'asc or desc',
  },
  {
    query: 'sort[seats]=up',
    details: { key: 'seats', path: 'seats', param: 'sort', value: 'up' },
    says: 'asc or desc',
  },
  {
    query: 'sort=:asc',
    details: { key: '', path: null, param: 'sort', value: ':asc' },
    says: 'the name of an attribute',
  },
  {
    query: 'status=drafts',
    details: { key: 'status', path: null, param: 'status', value: 'drafts' },
    says: 'published, draft',
  },
  { query: 'status=', details: { key: 'status', path: null, param: 'status', value: '' }, says: 'published, draft' },
  { query: 'locale=zz', details: { key: 'locale', path: null, param: 'locale', value: 'zz' }, says: 'no such locale' },
  {
    query: 'locale[0]=en&locale[1]=zz',
    details: { key: 'locale', path: null, param: 'locale', value: 'zz' },
    says: 'no such locale',
  },
  {
    query: 'locale[a]=en',
    details: { key: 'locale', path: null, param: 'locale', value: { a: 'en' } },
    says: 'expected text',
  },
  { query: '_q[a]=b', details: { key: '_q', path: null, param: '_q', value: { a: 'b' } }, says: 'expected text' },
  {
    query: 'publicationFilter=new',
    details: { key: 'publicationFilter', path: null, param: 'publicationFilter', value: 'new' },
    says: 'never-published',
  },
  {
    query: 'hasPublishedVersion=2',
    details: { key: 'hasPublishedVersion', path: null, param: 'hasPublishedVersion', value: '2' },
    says: words,
  },
  {
    query: 'filters=abc',
    details: { key: 'filters', path: null, param: 'filters', value: 'abc' },
    says: 'filters[name][$eq]=value',
  },
  {
    query: 'filters[$or]=abc',
    details: { key: '$or', path: null, param: 'filters', value: 'abc' },
    says: 'a group of conditions',
  },
  {
    query: 'fields[a]=name',
    details: { key: 'fields', path: null, param: 'fields', value: { a: 'name' } },
    says: 'names of attributes',
  },
];

const names: Refused[] = [
  { query: 'filters[nmae]=a', details: filter('nmae', 'nmae', 'a'), says: 'did you mean "name"?' },
  {
    query: 'filters[chef][nmae][$eq]=a',
    details: filter('chef.nmae', 'nmae', { $eq: 'a' }),
    says: 'did you mean "name"?',
  },
  {
    query: 'filters[cover][name]=a',
    details: filter('cover', 'cover', { name: 'a' }),
    says: 'a media attribute, which cannot be filtered',
  },
  {
    query: 'filters[sections][$null]=true',
    details: filter('sections', 'sections', { $null: 'true' }),
    says: 'a dynamic zone, which cannot be filtered',
  },
  {
    query: 'filters[extras][wifi]=1',
    details: filter('extras', 'wifi', '1'),
    says: 'the type json, which takes only $null and $notNull',
  },
  { query: 'filters[name][$contain]=a', details: filter('name', '$contain', 'a'), says: 'did you mean "$contains"?' },
  { query: 'filters[name][contains]=a', details: filter('name', 'contains', 'a'), says: 'did you mean "$contains"?' },
  {
    query: 'filters[$eq]=a',
    details: { key: '$eq', path: null, param: 'filters', value: 'a' },
    says: 'below an attribute',
  },
  {
    query: 'filters[__proto__]=a',
    details: { key: '__proto__', path: '__proto__', param: 'filters' },
    says: 'no such attribute',
  },
  {
    query: 'sort=nmae:desc',
    details: { key: 'nmae', path: 'nmae', param: 'sort', value: 'nmae:desc' },
    says: 'did you mean "name"?',
  },
  {
    query: 'sort=chef',
    details: { key: 'chef', path: 'chef', param: 'sort' },
    says: 'sort by one of its attributes, such as chef.id',
  },
  {
    query: 'sort=name.x',
    details: { key: 'name', path: 'name', param: 'sort', value: 'name.x' },
    says: 'has no attributes of its own',
  },
  {
    query: 'sort=cover.name',
    details: { key: 'cover', path: 'cover', param: 'sort', value: 'cover.name' },
    says: 'cannot be sorted by',
  },
  { query: 'fields=nmae', details: { key: 'nmae', path: 'nmae', param: 'fields' }, says: 'did you mean "name"?' },
  {
    query: 'fields=chef',
    details: { key: 'chef', path: 'chef', param: 'fields' },
    says: 'a relation, which needs populate (populate=chef)',
  },
  { query: 'fields=name,cover', details: { key: 'cover', path: 'cover', param: 'fields' }, says: 'needs populate' },
  { query: 'fields=*,nope', details: { key: 'nope', path: 'nope', param: 'fields' }, says: 'no such attribute' },
  { query: 'pagination[pagesize]=2', details: page('pagesize', '2'), says: 'did you mean "pageSize"?' },
  {
    query: 'populat=*',
    details: { key: 'populat', path: null, param: 'populat', value: '*' },
    says: 'did you mean "populate"?',
  },
];

const belowPopulate: Refused[] = [
  { query: 'populate=chfe', details: populate('chfe', 'chfe'), says: 'did you mean "chef"?' },
  { query: 'populate=name', details: populate('name', 'name'), says: 'comes without populate' },
  {
    query: 'populate=chef.mentro',
    details: populate('mentro', 'chef.mentro', 'chef.mentro'),
    says: 'did you mean "mentor"?',
  },
  {
    query: 'populate=sections.nope',
    details: populate('nope', 'sections.nope', 'sections.nope'),
    says: 'no component of the dynamic zone',
  },
  {
    query: 'populate=cover.related',
    details: populate('cover', 'cover', 'cover.related'),
    says: 'a path with dots cannot lead through it',
  },
  {
    query: 'populate[chef]=mentor',
    details: populate('mentor', 'chef', 'mentor'),
    says: 'such as populate[chef][populate]=mentor',
  },
  { query: 'populate[chef]', details: populate('populate', 'chef', null), says: 'expected true, * or options' },
  { query: 'populate[chef][sorts]=name', details: populate('sorts', 'chef', 'name'), says: 'did you mean "sort"?' },
  {
    query: 'populate[chef][mentor]=true',
    details: populate('mentor', 'chef', 'true'),
    says: 'attributes belong in populate[chef][populate]',
  },
  { query: 'populate[chef][on][a]=true', details: populate('a', 'chef'), says: 'no such type' },
  { query: 'populate[categories][count]=some', details: populate('count', 'categories', 'some'), says: words },
  {
    query: 'populate[categories][filters][nope]=1',
    details: populate('nope', 'categories.nope', '1'),
    says: 'in populate[categories][filters]',
  },
  {
    query: 'populate[categories][filters][rank][$gt]=x',
    details: populate('$gt', 'categories.rank', 'x'),
    says: 'expected a number',
  },
  {
    query: 'populate[nearby][filters][chef]=ada',
    details: populate('$eq', 'nearby.chef', 'ada'),
    says: 'use populate[nearby][filters][chef][<attribute>]',
  },
  {
    query: 'populate[categories][filters]=',
    details: populate('filters', 'categories', ''),
    says: 'expected conditions',
  },
  {
    query: 'populate[nearby][filters][chef][nmae]=1',
    details: populate('nmae', 'nearby.chef.nmae', '1'),
    says: 'did you mean "name"?',
  },
  {
    query: 'populate[nearby][sort]=name:up',
    details: populate('name', 'nearby.name', 'name:up'),
    says: 'populate[nearby][sort]',
  },
  { query: 'populate[nearby][sort]=chef', details: populate('chef', 'nearby.chef'), says: 'such as chef.id' },
  {
    query: 'populate[chef][fields]=email',
    details: populate('email', 'chef.email'),
    says: 'in populate[chef][fields]',
  },
  {
    query: 'populate[nearby][fields]=chef',
    details: populate('chef', 'nearby.chef'),
    says: '(populate[nearby][populate]=chef)',
  },
  {
    query: 'populate[chef][populate][mentor][fields]=nmae',
    details: populate('nmae', 'chef.mentor.nmae'),
    says: 'in populate[chef][populate][mentor][fields]',
  },
  {
    query: 'populate[sections][populate][0]=picture',
    details: populate('populate', 'sections', ['picture']),
    says: 'use on, as in populate[sections][on][block.hero][populate]',
  },
  {
    query: 'populate[sections][fields]=heading',
    details: populate('sections', 'sections', { fields: 'heading' }),
    says: 'use on',
  },
  {
    query: 'populate[sections][on]=a',
    details: populate('on', 'sections', 'a'),
    says: 'populate[sections][on][<uid>]=true',
  },
  {
    query: 'populate[sections][on][block.her]=true',
    details: populate('block.her', 'sections'),
    says: 'did you mean "block.hero"?',
  },
  {
    query: 'populate[sections][on][shared.address]=true',
    details: populate('shared.address', 'sections'),
    says: 'no such type here',
  },
  {
    query: 'populate[sections][on][block.hero]=picture',
    details: populate('picture', 'sections', 'picture'),
    says: 'populate[sections][on][block.hero][populate]=picture',
  },
  {
    query: 'populate[sections][on][block.hero][fields]=x',
    details: populate('x', 'sections.x'),
    says: 'in populate[sections][on][block.hero][fields]',
  },
];

const listed = [...values, ...names, ...belowPopulate].map((each) => [each.query, each] as const);

describe('a 400 names location and value', () => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide();
  });

  test.each(listed)('%s', async (query, { details, says, good }) => {
    const { value, ...place } = details;
    const expected = value === undefined ? { ...place, source: 'query' } : { ...place, source: 'query', value };
    // the second reply uses the prepared query of the first, or of a valid query of the same form
    const texts = good === undefined ? [query, query] : [query, good, query, good];
    for (const text of texts) {
      const { status, body } = await ask(content, '/api/restaurants', text);
      expect(status, JSON.stringify(body)).toBe(text === good ? 200 : 400);
      if (text === good) continue;
      expect(body.error!.details).toEqual(expected);
      expect(body.error!.message).toContain(says);
      expect(body.error!.message).toContain(details.key);
    }
    if (query.includes('__proto__')) return;
    const object = qs.parse(decodeURI(query), { strictNullHandling: true, decoder: decodeURIComponent }) as Query;
    const find = () => content.find('restaurants', object, { role: 'public' });
    expect(find).toThrow(RequestError);
    expect(find).toThrow(says);
    try {
      find();
    } catch (error) {
      expect((error as RequestError).details).toEqual(expected);
    }
  });

  test.each([
    ['restaurants/lodz-cafe', 'pagination[page]=1.5'],
    ['restaurants/lodz-cafe', 'status=drafts'],
    ['restaurants/lodz-cafe', 'filters[vegan]=no'],
    ['homepage', 'locale=zz'],
    ['chefs', 'status=drafts'],
    ['chefs', 'locale=zz'],
  ])('a 400 is sent on every route, even if the parameter has no effect: %s?%s', async (path, query) => {
    const { status, body } = await ask(content, `/api/${path}`, query);
    expect(status).toBe(400);
    expect(body.error!.details).toMatchObject({ source: 'query', value: query.split('=')[1] });
  });

  test('clamps pages and sizes below the minimum', async () => {
    for (const [query, start] of [
      ['pagination[page]=-3&pagination[pageSize]=2', { page: 1, pageSize: 2 }],
      ['pagination[start]=-3&pagination[limit]=0', { start: 0, limit: 1 }],
    ] as const) {
      const { body } = await ask(content, '/api/restaurants', query);
      expect(body.meta).toMatchObject({ pagination: start });
    }
  });
});

test('reports names that the caller may not read as missing, and never suggests them', async () => {
  const content = await openGuide();
  const said = async (query: string, name: string) => {
    const { status, body } = await ask(content, '/api/restaurants', query.replaceAll('NAME', name));
    return JSON.stringify({ status, ...body.error }).replaceAll(name, 'NAME');
  };
  const forms = [
    ...[
      'filters[NAME]=1',
      'filters[NAME][x]=1',
      'filters[nearby][NAME]=1',
      'sort=NAME',
      'sort=NAME.x',
      'sort=nearby.NAME',
    ],
    ...['fields=NAME', 'fields=NAME,nope', 'populate[nearby][fields]=NAME', 'populate[nearby][filters][NAME]=1'],
    ...['populate[nearby][sort]=NAME', 'populate[nearby][NAME]=1'],
  ];
  // an unreadable relation in populate is omitted and named in the header
  const ofPrivate = [
    'populate=NAME',
    'populate[NAME]=true',
    'populate[NAME][x]=1',
    'populate=NAME,nope',
    'populate=NAME.x',
  ];
  // each beside a similar name that does not exist
  const hidden = [
    ['secretNote', 'secretNode'],
    ['pin', 'pix'],
    ['createdBy', 'createdQy'],
  ];
  for (const query of [...forms, ...ofPrivate]) {
    for (const [name, unknown] of hidden) expect(await said(query, name), query).toBe(await said(query, unknown));
  }
  for (const query of forms) expect(await said(query, 'licence'), query).toBe(await said(query, 'licenze'));
  for (const name of ['secretNot', 'secretnote', 'licenc', 'Licence']) {
    for (const query of [...forms, ...ofPrivate]) expect(await said(query, name), query).not.toContain('did you mean');
  }
  for (const query of [
    'populate[licence][filters][number]=x',
    'populate[licence][fields]=number',
    'populate=licence.number',
  ]) {
    const { status, headers } = await ask(content, '/api/restaurants', query);
    const other = await ask(content, '/api/restaurants', query.replace('number', 'nope'));
    expect([status, other.status]).toEqual([200, 200]);
    expect(headers['X-Lectern-Omitted']).toBe(other.headers['X-Lectern-Omitted']);
  }
});

test.each(['document', 'strapi'] as const)(
  'says what works in place of populate=deep, in the dialect %s',
  async (dialect) => {
    const content = await openGuide({ dialect });
    for (const query of ['populate=deep', 'populate=deep,3', 'populate[0]=deep']) {
      const { status, body } = await ask(content, '/api/restaurants', query);
      expect([query, status]).toEqual([query, 400]);
      const { message } = body.error!;
      expect(message).toMatch(/^Invalid key deep: it needs a plugin .*populate=\* .*populate\[(\w+)\]\[populate\]=\*/);
      const nested = /populate\[\w+\]\[populate\]=\*/.exec(message)![0];
      expect((await ask(content, '/api/restaurants', nested)).status).toBe(200);
    }
    expect((await ask(content, '/api/restaurants', 'populate=deeper')).body.error!.message).not.toMatch(/plugin/);
  },
);

test('suggests names to callers who may read them', async () => {
  const content = await openGuide();
  expect(() => content.find('restaurants', { filters: { licenc: 1 } })).toThrow('did you mean "licence"?');
  expect(() => content.find('restaurants', { filters: { licenc: 1 } }, { role: 'public' })).not.toThrow('did you mean');
});

test('a 403 names the missing permission to programs only', async () => {
  const content = await openGuide();
  const { body } = await ask(content, '/api/licences');
  expect(body.error).toEqual({ status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} });
  const action = 'api::licence.licence.find';
  const message = `Forbidden: the role "public" lacks the permission "${action}"`;
  expect(() => content.find('licences', {}, { role: 'public' })).toThrow(message);
  const { status, plan } = content.explain('/api/licences', { role: 'public' });
  expect(status).toBe(403);
  expect(JSON.parse(plan).error).toMatchObject({ message, details: { role: 'public', action } });
});
