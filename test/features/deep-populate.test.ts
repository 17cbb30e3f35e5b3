// Everything down to a depth, and everything beside what is named.
import { expect, test } from 'vitest';
import { ask, openGuide } from '../support/guide.ts';

const features = ['deepPopulate'] as const;
const open = (options: object = {}) => openGuide({ features: [...features], public: true, ...options });

test('cycles end, and components may occur again', async () => {
  const content = await open();
  const { body } = await ask(content, '/api/chefs', 'populate=deep,10&filters[restaurants][id][$notNull]=true');
  const [chef] = body.data as { restaurants: Record<string, unknown>[] }[];
  expect(chef).not.toHaveProperty('mentor');
  expect(chef).toHaveProperty('articles');
  expect(chef.restaurants[0]).not.toHaveProperty('chef');
  expect(chef.restaurants[0]).toHaveProperty('categories');
  expect(chef.restaurants[0]).toHaveProperty('openings');
});

test.each(['deep,0', 'deep,11', 'deep,', 'deep,x', 'deep,1,2'])('rejects populate=%s', async (populate) => {
  expect((await ask(await open(), '/api/chefs', `populate=${populate}`)).status).toBe(400);
});

test('a query that would populate too many types names the depth that does not', async () => {
  const content = await open({ budgets: { populate: 8 } });
  const { status, body } = await ask(content, '/api/chefs', 'populate=deep');
  expect([status, body.error!.message]).toEqual([
    400,
    'The query populates more than 8 relations (budgets.populate); populate=deep,1 fits',
  ]);
  expect((await ask(content, '/api/chefs', 'populate=deep,1')).status).toBe(200);
  expect((await ask(content, '/api/chefs', 'populate=deep,2')).status).toBe(400);
});

test('a star beside names shows everything, and the names as they say', async () => {
  const content = await open();
  const read = async (query: string) => {
    const { status, body } = await ask(content, '/api/restaurants', query);
    expect([query, status]).toEqual([query, 200]);
    return body.data as Record<string, unknown>[];
  };
  const everything = await read('populate=*');
  const expected = (others: Record<string, unknown>[], name: string) =>
    everything.map((entry, i) => ({ ...entry, [name]: others[i][name] }));
  expect(await read('populate[0]=*&populate[1]=chef.mentor')).toEqual(
    expected(await read('populate=chef.mentor'), 'chef'),
  );
  const named = await read('populate[chef][fields]=name');
  expect(await read('populate[*]=true&populate[chef][fields]=name')).toEqual(expected(named, 'chef'));
  const without = everything.map(({ chef: _, ...rest }) => rest);
  expect(await read('populate[*]=true&populate[chef]=false')).toEqual(without);
  const nested = await read('populate[chef][populate][*]=true&populate[chef][populate][mentor][fields]=name');
  expect(nested.find(({ chef }) => chef)!.chef).toHaveProperty('articles');
});
