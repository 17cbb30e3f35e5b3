// The choices of docs/specification.md where the specification is silent.
import { beforeAll, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { ask, idsOf, openGuide, sha256 } from '../support/guide.ts';

let content: Content;
beforeAll(async () => {
  const tokens = [{ name: 'full', sha256: sha256('full'), type: 'full-access' as const }];
  content = await openGuide({ tokens });
});

const restaurants = (query: string) => idsOf(content, '/api/restaurants', `${query}&sort=id`);
const named = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 40];

test('null, written without =, in $eq and $eqi means is null, in $ne and $nei is not null', async () => {
  for (const operator of ['$eq', '$eqi']) expect(await restaurants(`filters[name][${operator}]`)).toEqual([12]);
  for (const operator of ['$ne', '$nei']) expect(await restaurants(`filters[name][${operator}]`)).toEqual(named);
});

test('null in any other operator matches nothing', async () => {
  const ofOne = ['$lt', '$lte', '$gt', '$gte', '$contains', '$notContains', '$containsi', '$notContainsi'];
  const ofText = ['$startsWith', '$startsWithi', '$endsWith', '$endsWithi'];
  for (const operator of [...ofOne, ...ofText, '$in', '$notIn']) {
    expect(await restaurants(`filters[name][${operator}]`), operator).toEqual([]);
  }
  expect(await restaurants('filters[name][$in][0]&filters[name][$in][1]=straße')).toEqual([3]);
  expect(await restaurants('filters[name][$notIn][0]&filters[name][$notIn][1]=straße')).toEqual([]);
});

test('null in $null, $notNull and $between is a 400', async () => {
  for (const operator of ['$null', '$notNull', '$between']) {
    expect((await ask(content, '/api/restaurants', `filters[name][${operator}]`)).status, operator).toBe(400);
  }
});

test('a null value matches no operator but $null, $notNull and $eq with null', async () => {
  expect(await restaurants('filters[seats][$not][$eq]=40')).not.toContain(7);
  expect(await restaurants('filters[seats][$ne]=40')).not.toContain(7);
  expect(await restaurants('filters[seats][$null]=true')).toContain(7);
});

test('a list for an operator of one value means that one of the comparisons holds', async () => {
  const containsA = await restaurants('filters[name][$contains]=a');
  const containsO = await restaurants('filters[name][$contains]=o');
  const either = await restaurants('filters[name][$contains][0]=a&filters[name][$contains][1]=o');
  expect(either).toEqual([...new Set([...containsA, ...containsO])].sort((a, b) => a - b));
  const lacksOne = await restaurants('filters[name][$notContains][0]=a&filters[name][$notContains][1]=o');
  expect(lacksOne).toEqual(named.filter((id) => !(containsA.includes(id) && containsO.includes(id))));
});

test('a bare value means $eq, a bare list $in, a bare name is null', async () => {
  expect(await restaurants('filters[name]=straße')).toEqual(await restaurants('filters[name][$eq]=straße'));
  expect(await restaurants('filters[id][0]=1&filters[id][1]=2')).toEqual([1, 2]);
  expect(await restaurants('filters[id]=1&filters[id]=2')).toEqual([1, 2]);
  expect(await restaurants('filters[name]')).toEqual([12]);
  expect(await restaurants('filters[name]=')).toEqual([11]);
  expect(await restaurants('filters[chef]')).toEqual(await restaurants('filters[chef][$null]=true'));
});

test('$between includes both ends and takes them in this order', async () => {
  expect(await restaurants('filters[seats][$between][0]=40&filters[seats][$between][1]=41')).toEqual([1, 9, 40]);
  expect(await restaurants('filters[seats][$between][0]=41&filters[seats][$between][1]=40')).toEqual([]);
});

test('filters on one entry decide whether it is found', async () => {
  const path = '/api/restaurants/lodz-cafe';
  expect((await ask(content, path, 'filters[seats]=40')).status).toBe(200);
  expect((await ask(content, path, 'filters[seats]=41')).status).toBe(404);
  expect((await ask(content, '/api/homepage', 'filters[id]=999')).status).toBe(404);
});

test('files and components that are populated with filters are plain lists', async () => {
  const query = 'populate[gallery][filters][id][$notNull]=true&populate[openings][filters][id][$notNull]=true';
  const { body } = await ask(content, '/api/restaurants', `filters[id]=1&${query}`);
  const [entry] = body.data as Record<string, unknown>[];
  expect(entry.gallery).toBeInstanceOf(Array);
  expect(entry.openings).toBeInstanceOf(Array);
});

test('X-Lectern-Omitted is a list of paths, URI-encoded', async () => {
  const query = 'populate[licence]=true&populate[nearby][populate]=licence&fields=id';
  const { headers } = await ask(content, '/api/restaurants', query);
  expect(headers['X-Lectern-Omitted']).toBe('licence,%20nearby.licence');
  expect(decodeURI(headers['X-Lectern-Omitted'])).toBe('licence, nearby.licence');
});

test('X-Lectern-Omitted takes 1 KiB at most and counts the paths that are left out', async () => {
  const omittedBy = async (paths: number) => {
    const query = Array.from({ length: paths }, (_, i) => `${'nearby.'.repeat(i + 1)}licence`).join(',');
    const { status, headers } = await ask(content, '/api/restaurants', `populate=${query}&fields=id&filters[id]=1`);
    expect(status).toBe(200);
    return headers['X-Lectern-Omitted'];
  };
  const whole = decodeURI(await omittedBy(15));
  expect(whole.split(', ')).toHaveLength(15);
  expect(whole).not.toContain('more');
  const cut = await omittedBy(19);
  expect(cut.length).toBeLessThanOrEqual(1024);
  expect(cut.length).toBeGreaterThan(850);
  const shown = decodeURI(cut).split(', ');
  expect(shown.pop()).toBe(`+${19 - shown.length} more`);
  expect(shown.every((path) => /^(nearby\.)+licence$/.test(path))).toBe(true);
});

test('a password is never shown, filtered or sorted by, whoever asks', async () => {
  const { body } = await ask(content, '/api/restaurants', 'populate=*', { token: 'full' });
  for (const entry of body.data as object[]) expect(entry).not.toHaveProperty('pin');
  for (const query of ['fields=pin', 'sort=pin', 'filters[pin][$notNull]=true']) {
    expect((await ask(content, '/api/restaurants', query, { token: 'full' })).status).toBe(400);
  }
});
