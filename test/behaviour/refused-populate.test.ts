// "Populate" of the behaviour page: what is refused, and the budgets of a reply.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, idsOf, invalidKey, openGuide } from '../support/guide.ts';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  test.each<[query: string, key: string, path: string | null, message: string]>([
    ['populate=nope', 'nope', 'nope', 'Invalid key nope'],
    ['populate[0]=chef&populate[1]=nope', 'nope', 'nope', 'Invalid key nope'],
    ['populate=name', 'name', 'name', 'Invalid key name'],
    ['populate=true', 'true', 'true', 'Invalid key true'],
    ['populate[nope]=true', 'nope', null, 'Invalid key nope'],
    ['populate[chef][populate]=nope', 'nope', 'nope', 'Invalid key nope'],
    ['populate[chef][fields]=nope', 'nope', null, 'Invalid key nope'],
    ['populate[chef]=mentor', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor'],
    ['populate[chef]=', '', 'chef', 'Invalid key  at chef'],
    ['populate[chef][foo]=nope', 'foo', 'chef', 'Invalid key foo at chef'],
    ['populate[categories][limit]=1', 'limit', 'categories', 'Invalid key limit at categories'],
    ['populate[categories][start]=1', 'start', 'categories', 'Invalid key start at categories'],
    ['populate[chef][mentor]=true', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor'],
    ['populate[chef][name]=true', 'name', 'chef.name', 'Invalid key name at chef.name'],
    ['populate[chef][documentId]=true', 'documentId', 'chef', 'Invalid key documentId at chef'],
    ['populate[chef][createdBy]=true', 'createdBy', 'chef.createdBy', 'Invalid key createdBy at chef.createdBy'],
    ['populate[createdBy][email]=true', 'email', 'createdBy.email', 'Invalid key email at createdBy.email'],
    ['populate[createdBy]=nope.x', 'nope', 'createdBy', 'Invalid key nope at createdBy'],
    ['populate[chef]=mentor.nope', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor'],
    ['populate[chef][0]=true&populate[chef][1]=nope', 'nope', 'chef', 'Invalid key nope at chef'],
    ['populate[chef][0]=*', '*', 'chef', 'Invalid key * at chef'],
    ['populate[id]=true', 'id', null, 'Invalid key id'],
    ['populate[name]=true', 'name', 'name', 'Invalid key name'],
    ['populate[chef][populate][id]=true', 'id', 'chef', 'Invalid key id at chef'],
    ['populate[chef][populate][0]=mentor&populate[chef][populate][1]=', '', 'chef', 'Invalid key  at chef'],
    ['populate[chef][populate]=.', '', 'chef', 'Invalid key  at chef'],
    ['populate=sections.id', 'id', 'sections.id', 'Invalid key id at sections.id'],
    [
      'populate[categories][pagination][pageSize]=1',
      'pagination',
      'categories',
      'Invalid key pagination at categories',
    ],
    [
      'populate[sections][on][block.nope]=true',
      'block.nope',
      'sections.on.block.nope',
      'Invalid key block.nope at sections.on.block.nope',
    ],
  ])('Invalid key, as recorded: %s', async (query, key, path, message) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    expect(body).toEqual(invalidKey('populate', key, path, message));
  });

  test.each(['populate[chef][]=true', 'populate[chef]=true&populate[chef][populate]=mentor'])(
    'a list of what says nothing: %s',
    async (query) => {
      const { status, body } = await ask(content, '/api/restaurants', query);
      expect(status).toBe(400);
      expect(body.error!.message).toBe("Invalid nested populate. Expected '*' or an object");
    },
  );

  test('a star for what the caller may not read is passed over', async () => {
    const { status, body } = await ask(content, '/api/restaurants', 'populate[licence]=*');
    expect(status, JSON.stringify(body)).toBe(200);
    expect((body.data as object[])[0]).not.toHaveProperty('licence');
  });

  test.each([
    ['a star for one relation', 'populate[chef]=*'],
    ['a star for a zone', 'populate[sections]=*'],
    ['on for a relation', 'populate[chef][on][api::chef.chef]=true'],
    ['what is private at the end of a path', 'populate=chef.updatedBy'],
    ['what is private inside a path', 'populate=chef.createdBy.roles'],
    ['a component that does not exist', 'populate[sections][on][shared.nope]=true'],
    ['status inside populate', 'populate[chef][status]=draft'],
    ['locale inside populate', 'populate[chef][locale]=fr'],
    ['an unknown field in a filter', 'populate[categories][filters][nope]=1'],
    ['a password in a filter', 'populate[nearby][filters][pin]=4711'],
    ['a private field in a filter', 'populate[nearby][filters][secretNote]=x'],
    ['a type the role may not read in a filter', 'populate[nearby][filters][licence][number]=L-1'],
    ['a password in a sort', 'populate[nearby][sort]=pin'],
    ['a private field in fields', 'populate[nearby][fields]=secretNote'],
    ['a private field', 'populate=secretNote'],
    ['a count that is neither true nor false', 'populate[categories][count]=some'],
    ['a dotted path through a scalar', 'populate=name.first'],
    ['a dotted path to nothing', 'populate=chef.nope'],
  ])('a 400: %s', async (_title, query) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error).toMatchObject({ status: 400, name: 'ValidationError' });
  });
});

describe('there is no limit on depth, but on size', () => {
  const deep = (levels: number) => `populate[mentees]${'[populate][mentees]'.repeat(levels)}=true`;

  test('nine levels of populate, twenty brackets', async () => {
    const content = await openGuide();
    const { status, body } = await ask(content, '/api/chefs', `fields=id&filters[id]=53&${deep(9)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toEqual([{ id: 53, documentId: 'cy', mentees: [] }]);
  });

  test('a reply past the node budget is a 400 that says so', async () => {
    const content = await openGuide({ budgets: { nodes: 10 } });
    expect(await idsOf(content, '/api/chefs', 'populate=mentor')).toHaveLength(5);
    const { status, body } = await ask(content, '/api/chefs', 'populate[0]=restaurants&populate[1]=mentees');
    expect(status).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error?.message).toMatch(/node/i);
  });

  test('a reply past the byte budget is a 400 that says so', async () => {
    const content = await openGuide({ budgets: { bytes: 2000 } });
    expect(await idsOf(content, '/api/chefs')).toHaveLength(5);
    const { status, body } = await ask(content, '/api/chefs', 'populate=restaurants');
    expect(status).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error?.message).toMatch(/byte/i);
  });

  test('without budgets of that size the same replies are whole', async () => {
    const content = await openGuide();
    const { body } = await ask(content, '/api/chefs', 'fields=id&populate[restaurants][fields]=id&sort=id');
    const counts = (body.data as { restaurants: object[] }[]).map(({ restaurants }) => restaurants.length);
    expect(counts).toEqual([3, 3, 2, 1, 1]);
  });
});
