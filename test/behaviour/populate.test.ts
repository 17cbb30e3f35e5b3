// "Populate" of the behaviour page: shapes, order and what is served. Where the dialects differ, see dialects.test.ts.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import {
  ada,
  bo,
  bread,
  cover1,
  first,
  fish,
  home,
  mark1,
  mark2,
  mark3,
  second,
  soup,
  sweet,
} from '../support/bodies.ts';
import { ask, openGuide, thingSnapshot } from '../support/guide.ts';

const lodz = { id: 1, documentId: 'lodz-cafe', name: 'Łódź café' };

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });
  async function data(path: string, query: string): Promise<unknown> {
    const { status, body } = await ask(content, path, query);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  }
  const one = (query: string) => data('/api/restaurants', `fields=name&filters[id]=1&${query}`);

  test.each([
    ['a comma list', 'populate=chef,categories'],
    ['a list', 'populate[0]=chef&populate[1]=categories'],
    ['a list without numbers', 'populate[]=chef&populate[]=categories'],
    ['a repeated parameter', 'populate=chef&populate=categories'],
    ['an object of true', 'populate[chef]=true&populate[categories]=true'],
    ['an object of objects', 'populate[chef][populate][0]=mentor&populate[chef][fields]=*&populate[categories]=true'],
  ])('two relations are populated as %s', async (title, query) => {
    const chef = title.endsWith('objects') ? { ...ada, mentor: null } : ada;
    expect(await one(query)).toEqual([{ ...lodz, chef, categories: [soup, bread] }]);
  });

  test('false omits a relation, an empty populate omits all', async () => {
    expect(await one('populate[chef]=true&populate[categories]=false')).toEqual([{ ...lodz, chef: ada }]);
    expect(await one('populate=')).toEqual([lodz]);
  });

  test('dotted paths populate every step', async () => {
    const chefs = (query: string) => data('/api/restaurants', `fields=name&filters[id]=2&${query}`);
    const expected = [{ id: 2, documentId: 'strasse', name: 'STRASSE', chef: { ...bo, mentor: ada } }];
    expect(await chefs('populate=chef.mentor')).toEqual(expected);
    expect(await chefs('populate[0]=chef&populate[1]=chef.mentor')).toEqual(expected);
    expect(await chefs('populate=chef.mentor,chef')).toEqual(expected);
    expect(await chefs('populate[chef][populate]=mentor')).toEqual(expected);
    expect(await one('populate=address.geo')).toEqual([
      {
        ...lodz,
        address: { id: 1, street: 'Piotrkowska 1', city: 'Łódź', geo: { id: 1, lat: 51.77, lng: 19.46 } },
      },
    ]);
  });

  test('a later name in a list replaces the paths below it in one dialect', async () => {
    const chef = dialect === 'strapi' ? bo : { ...bo, mentor: ada };
    expect(
      await data('/api/restaurants', 'fields=name&filters[id]=2&populate[0]=chef.mentor&populate[1]=chef'),
    ).toEqual([{ id: 2, documentId: 'strasse', name: 'STRASSE', chef }]);
  });

  test('* below a relation populates one level', async () => {
    expect(await data('/api/categories', 'fields=name&filters[id]=75&populate[parent][populate]=*')).toEqual([
      { id: 75, documentId: 'odd', name: '%_\\', parent: null },
    ]);
    expect(await data('/api/homepage', 'populate[seo][populate]=*')).toEqual({
      ...home,
      seo: { id: 1, metaTitle: 'Home', noindex: false, image: cover1 },
    });
  });

  test('sort, filters and fields accept nested relations', async () => {
    const query =
      'populate[categories][sort]=parent.rank:desc&populate[categories][fields]=name&filters[id]=4&fields=name';
    // Parents: of soup none (first, descending), of sweet bread (2), of fish soup (1).
    expect(await data('/api/restaurants', query)).toEqual([
      {
        id: 4,
        documentId: 'istanbul-dotted',
        name: 'İstanbul',
        categories: [
          { id: 71, documentId: 'soup', name: 'soup' },
          { id: 73, documentId: 'sweet', name: 'süß' },
          { id: 74, documentId: 'fish', name: 'fish' },
        ],
      },
    ]);
  });

  test('count returns the number of related entries instead of the entries', async () => {
    expect(
      await data('/api/restaurants', 'fields=name&filters[id][$lt]=4&sort=id&populate[categories][count]=true'),
    ).toEqual([
      { ...lodz, categories: { count: 2 } },
      { id: 2, documentId: 'strasse', name: 'STRASSE', categories: { count: 1 } },
      { id: 3, documentId: 'strasze', name: 'straße', categories: { count: 0 } },
    ]);
  });

  test('related entries on the owning side are in the order of connection', async () => {
    expect(await data('/api/restaurants', 'fields=name&filters[id]=4&populate=categories')).toEqual([
      { id: 4, documentId: 'istanbul-dotted', name: 'İstanbul', categories: [sweet, soup, fish] },
    ]);
    expect(await data('/api/homepage', 'populate=featured')).toEqual({ ...home, featured: [second, first] });
  });

  test('related entries on the inverse side are in the order of the owning entries', async () => {
    const [chef] = (await data('/api/categories', 'filters[id]=71&populate[restaurants][fields]=id')) as {
      restaurants: { id: number }[];
    }[];
    expect(chef.restaurants.map(({ id }) => id)).toEqual([1, 4, 5, 9, 40]);
  });

  test('a sort ends on ascending id, and nulls come last ascending', async () => {
    const [category] = (await data(
      '/api/categories',
      'filters[id]=71&populate[restaurants][fields]=seats&populate[restaurants][sort]=seats',
    )) as { restaurants: object[] }[];
    expect(category.restaurants).toEqual([
      { id: 4, documentId: 'istanbul-dotted', seats: 12 },
      { id: 5, documentId: 'istanbul', seats: 12 },
      { id: 1, documentId: 'lodz-cafe', seats: 40 },
      { id: 9, documentId: 'obrien', seats: 40 },
      { id: 40, documentId: 'cafe', seats: 41 },
    ]);
  });

  test('a to-one relation is an object or null; one that is filtered out is null', async () => {
    const query = 'fields=name&sort=id&filters[id][$lt]=4&populate[chef][filters][stars]=3';
    expect(await data('/api/restaurants', query)).toEqual([
      { ...lodz, chef: ada },
      { id: 2, documentId: 'strasse', name: 'STRASSE', chef: null },
      { id: 3, documentId: 'strasze', name: 'straße', chef: null },
    ]);
  });

  test('a repeatable component accepts fields, filters and sort, and stays a list', async () => {
    expect(await one('populate[openings][fields][0]=day&populate[openings][sort]=day:desc')).toEqual([
      {
        ...lodz,
        openings: [
          { id: 2, day: 'tue' },
          { id: 1, day: 'mon' },
        ],
      },
    ]);
    expect(await one('populate[openings][filters][day]=tue')).toEqual([
      { ...lodz, openings: [{ id: 2, day: 'tue', opens: '09:30:00', closes: null }] },
    ]);
  });

  test('media accept fields', async () => {
    expect(await one('populate[cover][fields]=url&populate[gallery][fields][0]=name')).toEqual([
      {
        ...lodz,
        cover: { id: 1, documentId: 'cover-1', url: '/uploads/cover_1.jpg' },
        gallery: [
          { id: 2, documentId: 'cover-2', name: 'cover 2.png' },
          { id: 1, documentId: 'cover-1', name: 'cover 1.jpg' },
        ],
      },
    ]);
  });

  test('populate=* below a dynamic zone populates every component', async () => {
    expect(await one('populate[sections][populate]=*')).toEqual([
      {
        ...lodz,
        sections: [
          { __component: 'block.quote', id: 1, text: 'Like *home*.', by: bo },
          {
            __component: 'block.hero',
            id: 1,
            heading: 'Welcome',
            picture: cover1,
            action: { id: 1, label: 'Book', href: '/book' },
          },
          { __component: 'block.quote', id: 2, text: null, by: null },
        ],
      },
    ]);
  });

  test('on omits components that it does not name', async () => {
    expect(await one('populate[sections][on][block.hero]=true')).toEqual([
      { ...lodz, sections: [{ __component: 'block.hero', id: 1, heading: 'Welcome' }] },
    ]);
  });

  test('entries of polymorphic relations have __type', async () => {
    const chef = { ...ada, __type: 'api::chef.chef' };
    expect(await data('/api/bookmarks', 'populate=*&filters[id][$ne]=82&sort=id')).toEqual([
      {
        ...mark1,
        target: chef,
        targets: [
          { ...soup, __type: 'api::category.category' },
          { ...bo, __type: 'api::chef.chef' },
        ],
      },
      { ...mark3, target: null, targets: [] },
    ]);
  });

  test('on omits entries of other types from a polymorphic relation', async () => {
    const query = 'filters[id]=81&populate[targets][on][api::chef.chef][fields]=name';
    expect(await data('/api/bookmarks', query)).toEqual([
      { ...mark1, targets: [{ id: 52, documentId: 'bo', name: 'bo', __type: 'api::chef.chef' }] },
    ]);
    expect(
      await data('/api/bookmarks', 'filters[id]=81&populate[target][on][api::chef.chef][populate]=mentor'),
    ).toEqual([{ ...mark1, target: { ...ada, mentor: null, __type: 'api::chef.chef' } }]);
  });

  test('the inverse side of a polymorphic relation is populated', async () => {
    expect(await data('/api/chefs', 'fields=name&filters[id]=51&populate=bookmarks')).toEqual([
      // a real Strapi does not omit the unset locale here
      {
        id: 51,
        documentId: 'ada',
        name: 'Ada',
        bookmarks: [dialect === 'strapi' ? { ...mark1, locale: null } : mark1],
      },
    ]);
  });

  test('a polymorphic relation omits types that the role may not read', async () => {
    const [entry] = (await data('/api/bookmarks', 'filters[id]=82&populate=*')) as { targets: unknown }[];
    expect(entry.targets).toEqual([{ ...ada, __type: 'api::chef.chef' }]);
    expect(entry).toMatchObject(mark2);
    expect(JSON.stringify(entry)).not.toMatch(/L-1|licence-1/);
  });
});

test('a dynamic zone that allows no component is an empty list', async () => {
  const content = await open(thingSnapshot({ zone: { type: 'dynamiczone', components: [] } }, [{ documentId: 'a' }]));
  const { body } = await ask(content, '/api/things', 'populate=*');
  expect(body.data).toMatchObject([{ documentId: 'a', zone: [] }]);
});

test('polymorphic relations below * on a zone lead to rows of the requested status, elsewhere to rows of every status', async () => {
  const content = await open(
    {
      contentTypes: [
        {
          info: { singularName: 'page', pluralName: 'pages' },
          attributes: { zone: { type: 'dynamiczone', components: ['part.pointer'] } },
        },
        {
          info: { singularName: 'note', pluralName: 'notes' },
          options: { draftAndPublish: true },
          attributes: {},
        },
      ],
      components: { 'part.pointer': { attributes: { targets: { type: 'relation', relation: 'morphToMany' } } } },
      entries: {
        note: [
          { id: 1, documentId: 'n', status: 'draft' },
          { id: 2, documentId: 'n' },
        ],
        page: [
          {
            documentId: 'a',
            zone: [{ __component: 'part.pointer', targets: [{ __type: 'api::note.note', documentId: 'n' }] }],
          },
        ],
      },
      roles: [{ type: 'public', permissions: ['api::page.page.find', 'api::note.note.find'] }],
    } as never,
    { dialect: 'strapi' },
  );
  const targets = async (query: string) => {
    const { body } = await ask(content, '/api/pages', query);
    const [{ zone }] = body.data as { zone: { targets: { id: number }[] }[] }[];
    return zone[0].targets.map(({ id }) => id);
  };
  expect(await targets('populate[zone][populate]=*')).toEqual([2]);
  expect(await targets('populate[zone][populate]=*&status=draft')).toEqual([1]);
  expect(await targets('populate[zone][on][part.pointer][populate]=*')).toEqual([1, 2]);
});
