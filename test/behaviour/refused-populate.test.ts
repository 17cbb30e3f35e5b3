// "Populate" of the behaviour page: what is refused, and the budgets of a reply.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, idsOf, invalidKey, openGuide, pathOfKey } from '../support/guide.ts';

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });

  // the path in the dialect document, where it is another than that of the named attribute
  test.each<[query: string, key: string, path: string | null, message: string, documentPath?: string]>([
    ['populate=nope', 'nope', 'nope', 'Invalid key nope'],
    ['populate[0]=chef&populate[1]=nope', 'nope', 'nope', 'Invalid key nope'],
    ['populate=name', 'name', 'name', 'Invalid key name'],
    ['populate=true', 'true', 'true', 'Invalid key true'],
    ['populate[nope]=true', 'nope', null, 'Invalid key nope'],
    ['populate[chef][populate]=nope', 'nope', 'nope', 'Invalid key nope', 'chef.nope'],
    ['populate[chef][fields]=nope', 'nope', null, 'Invalid key nope', 'chef.nope'],
    ['populate[chef]=mentor', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor', 'chef'],
    ['populate[chef]=', '', 'chef', 'Invalid key  at chef', 'chef'],
    ['populate[chef][foo]=nope', 'foo', 'chef', 'Invalid key foo at chef', 'chef'],
    ['populate[categories][limit]=1', 'limit', 'categories', 'Invalid key limit at categories', 'categories'],
    ['populate[categories][start]=1', 'start', 'categories', 'Invalid key start at categories', 'categories'],
    ['populate[chef][mentor]=true', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor', 'chef'],
    ['populate[chef][name]=true', 'name', 'chef.name', 'Invalid key name at chef.name', 'chef'],
    ['populate[chef][documentId]=true', 'documentId', 'chef', 'Invalid key documentId at chef', 'chef'],
    [
      'populate[chef][createdBy]=true',
      'createdBy',
      'chef.createdBy',
      'Invalid key createdBy at chef.createdBy',
      'chef',
    ],
    ['populate[chef]=mentor.nope', 'mentor', 'chef.mentor', 'Invalid key mentor at chef.mentor', 'chef'],
    ['populate[id]=true', 'id', null, 'Invalid key id'],
    ['populate[name]=true', 'name', 'name', 'Invalid key name'],
    ['populate[chef][populate][id]=true', 'id', 'chef', 'Invalid key id at chef'],
    ['populate[chef][populate][0]=mentor&populate[chef][populate][1]=', '', 'chef', 'Invalid key  at chef', 'chef'],
    ['populate[chef][populate]=.', '', 'chef', 'Invalid key  at chef', 'chef'],
    ['populate=sections.id', 'id', 'sections.id', 'Invalid key id at sections.id'],
    [
      'populate[categories][pagination][pageSize]=1',
      'pagination',
      'categories',
      'Invalid key pagination at categories',
      'categories',
    ],
    [
      'populate[sections][on][block.nope]=true',
      'block.nope',
      'sections.on.block.nope',
      'Invalid key block.nope at sections.on.block.nope',
      'sections',
    ],
  ])('Invalid key: %s', async (query, key, path, message, documentPath = pathOfKey(key, path)!) => {
    const answer = await ask(content, '/api/restaurants', query);
    expect(answer.status).toBe(400);
    if (dialect === 'strapi') expect(answer.body).toEqual(invalidKey('populate', key, path, message));
    else {
      expect(answer.body.error!.details).toMatchObject({ key, path: documentPath, source: 'query', param: 'populate' });
      expect(answer.body.error!.message).toMatch(/^Invalid (key|value) .+: ./);
    }
  });

  // what follows a private relation, and lists in place of options, are one mistake each in the dialect document
  test.each<[query: string, key: string, path: string, message: string, document: object]>([
    [
      'populate[createdBy][email]=true',
      'email',
      'createdBy.email',
      'Invalid key email at createdBy.email',
      { key: 'createdBy', path: 'createdBy', value: { email: 'true' } },
    ],
    [
      'populate[createdBy]=nope.x',
      'nope',
      'createdBy',
      'Invalid key nope at createdBy',
      { key: 'createdBy', path: 'createdBy', value: 'nope.x' },
    ],
    [
      'populate[chef][0]=true&populate[chef][1]=nope',
      'nope',
      'chef',
      'Invalid key nope at chef',
      { key: 'true', path: 'chef', value: ['true', 'nope'] },
    ],
    ['populate[chef][0]=*', '*', 'chef', 'Invalid key * at chef', { key: '*', path: 'chef', value: ['*'] }],
  ])('an invalid key is named differently in each dialect: %s', async (query, key, path, message, document) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    if (dialect === 'strapi') expect(body).toEqual(invalidKey('populate', key, path, message));
    else expect(body.error!.details).toEqual({ ...document, source: 'query', param: 'populate' });
  });

  test.each<[query: string, value: unknown]>([
    ['populate[chef][]=true', ['true']],
    ['populate[chef]=true&populate[chef][populate]=mentor', ['true', { populate: 'mentor' }]],
  ])('a list as options is an error: %s', async (query, value) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect(status).toBe(400);
    if (dialect === 'strapi') expect(body.error!.message).toBe("Invalid nested populate. Expected '*' or an object");
    else expect(body.error!.details).toMatchObject({ path: 'chef', value });
  });

  test.each(['chef', 'sections', 'address'])('* for %s is a 400 or populates the next level', async (name) => {
    const { status, body } = await ask(content, '/api/restaurants', `filters[id]=1&populate[${name}]=*`);
    expect(status).toBe(dialect === 'strapi' ? 400 : 200);
    if (dialect === 'strapi') return;
    const { body: full } = await ask(content, '/api/restaurants', `filters[id]=1&populate[${name}][populate]=*`);
    expect(body).toEqual(full);
  });

  test('* for one component of a zone populates it in document and is a 400 in strapi', async () => {
    const answers = ['', '[populate]'].map((inner) =>
      ask(content, '/api/restaurants', `populate[sections][on][block.hero]${inner}=*`),
    );
    const [star, full] = await Promise.all(answers);
    expect(full.status).toBe(200);
    if (dialect === 'document') expect(star.body).toEqual(full.body);
    else expect(star.status).toBe(400);
  });

  test('* for a type that the caller may not read is ignored', async () => {
    const { status, body } = await ask(content, '/api/restaurants', 'populate[licence]=*');
    expect(status, JSON.stringify(body)).toBe(200);
    expect((body.data as object[])[0]).not.toHaveProperty('licence');
  });

  test.each([
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

describe('replies are limited in size, not in depth', () => {
  const deep = (levels: number) => `populate[mentees]${'[populate][mentees]'.repeat(levels)}=true`;

  test('nine levels of populate with twenty brackets are answered', async () => {
    const content = await openGuide();
    const { status, body } = await ask(content, '/api/chefs', `fields=id&filters[id]=53&${deep(9)}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toEqual([{ id: 53, documentId: 'cy', mentees: [] }]);
  });

  test('a reply that exceeds the node budget is a 400 that names it', async () => {
    const content = await openGuide({ budgets: { nodes: 10 } });
    expect(await idsOf(content, '/api/chefs', 'populate=mentor')).toHaveLength(5);
    const { status, body } = await ask(content, '/api/chefs', 'populate[0]=restaurants&populate[1]=mentees');
    expect(status).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error?.message).toMatch(/node/i);
  });

  test('a reply that exceeds the byte budget is a 400 that names it', async () => {
    const content = await openGuide({ budgets: { bytes: 2000 } });
    expect(await idsOf(content, '/api/chefs')).toHaveLength(5);
    const { status, body } = await ask(content, '/api/chefs', 'populate=restaurants');
    expect(status).toBe(400);
    expect(body.data).toBeNull();
    expect(body.error?.message).toMatch(/byte/i);
  });

  test('the same replies are complete with higher budgets', async () => {
    const content = await openGuide();
    const { body } = await ask(content, '/api/chefs', 'fields=id&populate[restaurants][fields]=id&sort=id');
    const counts = (body.data as { restaurants: object[] }[]).map(({ restaurants }) => restaurants.length);
    expect(counts).toEqual([3, 3, 2, 1, 1]);
  });
});
