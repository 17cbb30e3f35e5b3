import { createConfig, lintFromString } from '@redocly/openapi-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SchemaDescription, TypeDescription } from '../../../src/description/describe-schema.ts';
import { openApiOf } from '../../../src/description/openapi/openapi.ts';
import type { Content, OpenOptions } from '../../../src/index.ts';
import { gazetteExport, gazetteOptions } from '../../conformance/gazette.ts';
import { sha256, thingSnapshot } from '../../support/guide.ts';
import { openShared } from '../../support/open-shared.ts';
import { type Document, Judge } from './judge.ts';

const demo = 'data/demo';

async function documentOf(source: Parameters<typeof openShared>[0], options?: OpenOptions, role?: string) {
  return (await openShared(source, options)).openApi({ role }) as Document;
}

function describeThings(change: Partial<TypeDescription> = {}): SchemaDescription {
  const attribute = (name: string, type: 'integer' | 'string') => ({
    name,
    type,
    required: false,
    localized: false,
    values: null,
    many: false,
    targets: [],
    operators: ['$eq', '$contains'] as const,
    isFiltered: true,
    isCounted: false,
  });
  const thing: TypeDescription = {
    uid: 'api::thing.thing',
    kind: 'collectionType',
    singularName: 'thing',
    pluralName: 'things',
    displayName: 'Thing',
    description: '',
    route: 'things',
    draftAndPublish: false,
    localized: false,
    attributes: [attribute('id', 'integer'), attribute('documentId', 'string'), attribute('title', 'string')],
    ...change,
  };
  const route = { path: 'things', uid: thing.uid, action: '', kind: 'page', member: null, reads: 'query' } as const;
  return {
    dialect: 'document',
    defaultLocale: 'en',
    locales: [],
    readsDrafts: false,
    hasFacets: false,
    features: [],
    types: [thing],
    routes: [{ ...route, mayBeEmpty: false }],
  };
}

const info = { server: '/api', isNested: false, isPublic: true, examples: new Map() };

describe("Redocly's recommended rules find nothing wrong", () => {
  test.each([
    ['the demo', demo, {}],
    ['the gazette', gazetteExport, gazetteOptions],
  ])('in %s', async (_, source, options) => {
    const config = await createConfig({ extends: ['recommended'] });
    for (const dialect of ['document', 'strapi'] as const) {
      for (const role of ['public', undefined]) {
        const document = await documentOf(source, { ...options, dialect }, role);
        expect(Object.keys(document.paths).length).toBeGreaterThan(10);
        const text = JSON.stringify(document);
        expect(await lintFromString({ source: text, absoluteRef: 'openapi.json', config })).toEqual([]);
      }
    }
  });
});

describe('what a caller sees', () => {
  test('is each route that the caller may request, and no other', async () => {
    const options: OpenOptions = { roles: [{ type: 'public', permissions: ['api::article.article.findOne'] }] };
    expect(Object.keys((await documentOf(demo, options, 'public')).paths)).toEqual(['/articles/{documentId}']);
    const all = Object.keys((await documentOf(demo)).paths);
    expect(all).toEqual(expect.arrayContaining(['/articles', '/articles/{documentId}', '/homepage', '/users/me']));
    expect(all).toEqual(expect.arrayContaining(['/users-permissions/roles/{id}', '/i18n/locales', '/upload/files']));
    expect(all).toEqual(expect.arrayContaining(['/content-type-builder/components/{uid}', '/users/count']));
    const content = await openShared(demo);
    for (const path of all) expect(content.hasRoute(path.slice(1).replaceAll(/\{\w+\}/g, '1'))).toBe(true);
  });

  test('holds no private attribute and nothing of a type that the caller may not read', async () => {
    const content = await openShared(
      thingSnapshot({ title: { type: 'string' }, secret: { type: 'string', private: true } }, [
        { documentId: 'a', title: 'x', secret: 'hidden' },
      ]),
    );
    expect(JSON.stringify(content.openApi())).not.toMatch(/secret|hidden/);
    const publicText = JSON.stringify((await openShared(demo)).openApi({ role: 'public' }));
    expect(publicText).not.toMatch(/invoice/i);
  });

  test('throws for a role that does not exist', async () => {
    const content = await openShared(demo);
    expect(() => content.openApi({ role: 'nobody' })).toThrow('There is no role "nobody"');
  });

  test('lets callers without credentials in only where they get the same', async () => {
    const content = await openShared(demo);
    expect(content.openApi({ role: 'public' }).security).toEqual([{}, { bearer: [] }]);
    expect(content.openApi().security).toEqual([{ bearer: [] }]);
  });
});

describe('examples', () => {
  const entries = [{ documentId: 'entry-of-things', title: 'Seen by all' }];
  const titles = (document: Document) =>
    document.paths['/things'].get.responses[200].content['application/json'].example.data[0].title;

  test('are entries that the role public may read', async () => {
    const content = await openShared(thingSnapshot({ title: { type: 'string' } }, entries));
    expect(titles(content.openApi())).toBe('Seen by all');
  });

  test('are made up for all other callers', async () => {
    const content = await openShared(thingSnapshot({ title: { type: 'string' } }, entries), {
      roles: [{ type: 'public', permissions: [] }],
    });
    expect(titles(content.openApi())).toBe('title');
    expect(JSON.stringify(content.openApi())).not.toContain('entry-of-things');
  });

  test('leave out long values', async () => {
    const long = [{ documentId: 'a', title: 'x'.repeat(500) }];
    const content = await openShared(thingSnapshot({ title: { type: 'string' } }, long));
    expect(titles(content.openApi())).toBe('title');
  });
});

test('describes the errors of the routes that describe types', async () => {
  const tokens = [{ name: 'all', type: 'full-access' as const, sha256: sha256('all') }];
  const content = await openShared(demo, { tokens });
  const judge = new Judge(content.openApi());
  for (const [path, template] of [
    ['content-types?kind=x', 'content-types'],
    ['content-types/nope', 'content-types/{uid}'],
    ['components/nope', 'components/{uid}'],
  ]) {
    const { status, body } = await content.answer(`/api/content-type-builder/${path}`, {
      authorization: 'Bearer all',
    });
    expect(status).toBeGreaterThanOrEqual(400);
    const faults = judge.faultsOfReply(`/content-type-builder/${template}`, status, JSON.parse(body.toString()));
    expect(faults).toEqual([]);
  }
});

describe('the document', () => {
  test('is the same in whatever order types, attributes and values are defined', async () => {
    const described = (await openShared(demo)).describeSchema();
    const reversed: SchemaDescription = {
      ...described,
      locales: described.locales.toReversed(),
      routes: described.routes.toReversed(),
      types: described.types.toReversed().map((type) => ({
        ...type,
        attributes: type.attributes.toReversed().map((attribute) => ({
          ...attribute,
          values: attribute.values?.toReversed() ?? null,
          targets: attribute.targets.toReversed(),
        })),
      })),
    };
    const [one, other] = [described, reversed].map((schema) => JSON.stringify(openApiOf(schema, info)));
    expect(one === other).toBe(true);
  });

  test('names types as the interfaces of TypeScript', async () => {
    const { schemas } = (await documentOf(demo)).components;
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['Articles', 'Homepage', 'UploadFiles', 'SharedSeo']));
    expect(Object.keys(schemas)).toEqual(Object.keys(schemas).toSorted());
  });

  test('gives types whose names collide different names', () => {
    const { types, ...rest } = describeThings();
    const others = ['api::other.other', 'api::third.third'].map((uid) => ({ ...types[0], uid, route: null }));
    const named = { ...types[0], uid: 'api::named.named', pluralName: 'things-filters' };
    const all = [...types, ...others, named];
    const routes = all.map(({ uid }, i) => ({ ...rest.routes[0], uid, path: `r${i}` }));
    const { components } = openApiOf({ ...rest, types: all, routes }, info) as Document;
    const names = ['Things', 'Things_', 'Things__', 'ThingsFilters', 'ThingsFilters_'];
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(names));
  });

  test('writes names in ASCII', () => {
    const { components } = openApiOf(describeThings({ pluralName: 'menüs' }), info) as Document;
    expect(Object.keys(components.schemas)).toContain('Men-fc-s');
  });
});

describe('a schema', () => {
  const query = 'filters[title][$contains]=x';
  let content: Content;
  let judge: Judge;
  beforeAll(async () => {
    content = await openShared(demo);
    judge = new Judge(content.openApi({ role: 'public' }));
  });
  const judgeOf = (schema: SchemaDescription) => new Judge(openApiOf(schema, info) as Document);

  test('takes the operators of an attribute', () => {
    expect(judgeOf(describeThings()).faultsOfQuery('/things', query)).toEqual([]);
  });

  test('refuses an operator that the attribute lacks', () => {
    const { types, ...rest } = describeThings();
    const attributes = types[0].attributes.map((each) => ({ ...each, operators: ['$eq'] as const }));
    const without = judgeOf({ ...rest, types: [{ ...types[0], attributes }] });
    expect(without.faultsOfQuery('/things', query)).not.toEqual([]);
    expect(without.faultsOfQuery('/things', 'filters[title][$eq]=x')).toEqual([]);
  });

  test('tells attributes with other operators apart', () => {
    const { types, ...rest } = describeThings();
    const attributes = types[0].attributes.map((each) =>
      each.name === 'title' ? { ...each, operators: ['$eq'] as const } : each,
    );
    const mixed = judgeOf({ ...rest, types: [{ ...types[0], attributes }] });
    expect(mixed.faultsOfQuery('/things', query)).not.toEqual([]);
    expect(mixed.faultsOfQuery('/things', 'filters[documentId][$contains]=x')).toEqual([]);
  });

  test.each([
    'filters[nope]=1',
    'filters[title][$nope]=1',
    'filters[author][nope]=1',
    'filters[rating][$gt]=many',
    'filters[rating][$between][0]=1',
    'filters[parts][title]=x',
    'filters[cover][name]=x',
    'fields=nope',
    'fields[0]=author',
    'sort=nope',
    'sort=title:up',
    'sort[author][nope]=asc',
    'populate=nope',
    'populate[0]=nope',
    'populate[author][fields]=nope',
    'populate[author][nope]=1',
    'populate[author][populate]=nope',
    'populate[parts][on][nope]=true',
    'pagination[page]=1&pagination[start]=1',
    'pagination[size]=1',
    'pagination[page]=x',
    'status=draft',
    'locale=xx',
    'nope=1',
  ])('refuses what the server refuses: %s', async (text) => {
    expect((await content.answer(`/api/articles?${text}`)).status, text).toBeGreaterThanOrEqual(400);
    expect(judge.faultsOfQuery('/articles', text, { isClosed: true })).not.toEqual([]);
  });

  test.each([
    '',
    'filters[author][team][name][$containsi]=a&filters[author][id][$in][0]=1',
    'filters[author]=1&filters[categories][0]=1&filters[categories][1]=2',
    'filters[author]',
    'filters[author][$null]=true',
    'filters[$or][0][kind]=essay&filters[$or][1][rating][$gt]=4&filters[$not][title][$not][$contains]=war',
    'filters[rating][$between][0]=1&filters[rating][$between][1]=4.5',
    'fields=title,rating&sort=rating:DESC,title',
    'fields[0]=title&fields[1]=*&sort[0]=author.name:asc&sort[1]=title',
    'sort[rating]=desc',
    'sort[0][author][name]=desc',
    'populate=*',
    'populate=author.team,cover',
    'populate[author]=*&populate[categories][count]=true',
    'populate[author][populate][team][filters][name]=x&populate[author][sort]=name&populate[author][fields]=name',
    'populate[parts][on][block.quote]=true',
    'pagination[page]=2&pagination[pageSize]=10&pagination[withCount]=false',
    'pagination[start]=-2&pagination[limit]=10',
    'status=published&locale=*&_q=a',
  ])('takes what the server takes: %s', async (text) => {
    const { status, body } = await content.answer(`/api/articles?${text}`);
    expect(status, `${body}`).toBe(200);
    expect(judge.faultsOfQuery('/articles', text, { isClosed: true })).toEqual([]);
    expect(judge.faultsOfReply('/articles', 200, JSON.parse(body.toString()))).toEqual([]);
  });
});
