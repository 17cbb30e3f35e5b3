// A deep populate over the budget names the depth that fits: that one is answered, and the next one is not.
import { expect, test } from 'vitest';
import { openShared } from '../support/open-shared.ts';

const paths = [
  'articles',
  'authors?pagination[pageSize]=5',
  'teams',
  'categories?filters[id][$lt]=4',
  'homepage',
  'issues',
];

test.each(['document', 'strapi'] as const)('in the dialect %s', async (dialect) => {
  const named = new Set<string>();
  for (const budgets of [
    ...[1, 30, 100, 1000, 10_000].map((nodes) => ({ nodes })),
    ...[2000, 200_000].map((bytes) => ({ bytes })),
  ]) {
    const content = await openShared('data/demo', { dialect, public: true, features: ['deepPopulate'], budgets });
    const read = async (path: string, populate: string) => {
      const { status, body } = await content.answerPath(`${path}${path.includes('?') ? '&' : '?'}populate=${populate}`);
      return { status, message: JSON.parse(String(body)).error?.message as string | undefined };
    };
    for (const path of paths) {
      for (const depth of [3, 5]) {
        const { status, message } = await read(path, `deep,${depth}`);
        if (status === 200) continue;
        const fits = Number(/populate=deep,(\d+) fits/.exec(message!)?.[1] ?? 0);
        expect({ budgets, path, message, status, fits }).toMatchObject({ status: 400, message: expect.any(String) });
        expect(fits).toBeLessThan(depth);
        named.add(`${fits}`);
        if (fits > 0) expect([path, message, (await read(path, `deep,${fits}`)).status]).toEqual([path, message, 200]);
        const next = await read(path, `deep,${fits + 1}`);
        expect({ budgets, path, message, next: next.status }).toEqual({ budgets, path, message, next: 400 });
      }
    }
  }
  expect(named.size).toBeGreaterThan(2);
});
