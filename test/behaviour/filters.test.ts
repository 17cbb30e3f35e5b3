// "Filters: three-valued, as SQL" of the behaviour page: what holds in both dialects.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { idsOf, openGuide } from '../support/guide.ts';

const named = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 40];
const conditions = [
  ...['[$eq]=rye', '[$eqi]=rye', '[$ne]=rye', '[$nei]=rye', '[$lt]=rye', '[$lte]=rye', '[$gt]=rye', '[$gte]=rye'],
  ...['[$in][0]=rye', '[$notIn][0]=rye', '[$contains]=rye', '[$notContains]=rye', '[$containsi]=rye'],
  ...['[$notContainsi]=rye', '[$between][0]=a&filters[name][$between][1]=z', '[$startsWith]=r'],
  ...['[$startsWithi]=r', '[$endsWith]=e', '[$endsWithi]=e'],
];

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await openGuide({ dialect });
  });
  const restaurants = (query: string) => idsOf(content, '/api/restaurants', `fields=id&sort=id&${query}`);

  test.each(conditions)('null makes %s unknown, and so its negation', async (condition) => {
    const matching = await restaurants(`filters[name]${condition}`);
    const negated = await restaurants(`filters[$not][name]${condition.replace('filters[', 'filters[$not][')}`);
    expect([...matching, ...negated].sort((a, b) => a - b)).toEqual(named);
  });

  test('an entry matches only if the whole filter is true', async () => {
    expect(await restaurants('filters[$and][0][seats][$lt]=0&filters[$and][1][name][$ne]=x')).toEqual([3]);
    expect(await restaurants('filters[$or][0][seats][$ne]=0&filters[$or][1][seats]=0')).not.toContain(12);
  });

  test('negation moves to the leaves', async () => {
    const outside = await restaurants('filters[$not][$and][0][vegan]=true&filters[$not][$and][1][$not][seats]=40');
    // Not (vegan and seats other than 40): not vegan (false, not null), or seats 40.
    expect(outside).toEqual([1, 2, 5, 8, 9, 11, 13]);
    expect(await restaurants('filters[$not][$not][vegan]=true')).toEqual([1, 4, 6, 9, 10]);
  });

  test('a relation key matches if the nested filter is true for some related entry', async () => {
    expect(await restaurants('filters[categories][rank][$gte]=3')).toEqual([4, 6, 8]);
    expect(await restaurants('filters[openings][opens][$gte]=18:00:00')).toEqual([4]);
  });

  test('conditions in one nested object apply to one related entry, separate objects may match different ones', async () => {
    expect(await restaurants('filters[categories][rank]=2&filters[categories][name]=soup')).toEqual([]);
    expect(await restaurants('filters[$and][0][categories][rank]=2&filters[$and][1][categories][name]=soup')).toEqual([
      1, 40,
    ]);
    expect(await restaurants('filters[openings][day]=sun&filters[openings][closes][$gt]=22:30:00')).toEqual([]);
    expect(
      await restaurants('filters[$and][0][openings][day]=sun&filters[$and][1][openings][closes][$gt]=22:30:00'),
    ).toEqual([6]);
  });

  test('$not inside a relation key matches if some related entry does not match', async () => {
    const some = [1, 2, 4, 5, 6, 9, 10, 13, 40];
    expect(await restaurants('filters[categories][$not][rank]=3')).toEqual(some);
    expect(await restaurants('filters[categories][rank][$not][$eq]=3')).toEqual(some);
    expect(await restaurants('filters[categories][rank][$ne]=3')).toEqual(some);
  });

  test('nothing related counts as one row of nulls', async () => {
    expect(await restaurants('filters[chef][name][$null]=true')).toEqual([3, 8, 11, 12, 40]);
    expect(await restaurants('filters[chef][$null]=true')).toEqual([3, 8, 12, 40]);
    expect(await restaurants('filters[chef][mentor][mentor][$null]=true&filters[chef][stars]=0')).toEqual([]);
    expect(await restaurants('filters[chef][mentor][mentor][mentor][$null]=true&filters[chef][stars]=0')).toEqual([
      5, 7,
    ]);
    expect(await idsOf(content, '/api/categories', 'filters[restaurants][$null]=true')).toEqual([76]);
  });

  test('a relation key with a plain value, a list or operators compares the related id', async () => {
    expect(await restaurants('filters[chef]=53')).toEqual([5, 7]);
    expect(await restaurants('filters[chef][0]=53&filters[chef][1]=54')).toEqual([5, 7, 9]);
    expect(await restaurants('filters[chef][$gt]=53')).toEqual([9, 11]);
    expect(await restaurants('filters[categories]=75')).toEqual([10, 13]);
    expect(await restaurants('filters[categories][$in][0]=75&filters[categories][$in][1]=73')).toEqual([
      4, 6, 8, 10, 13,
    ]);
  });

  test('$eq without a value means null', async () => {
    expect(await restaurants('filters[name][$eq]')).toEqual([12]);
    expect(await restaurants('filters[name]')).toEqual([12]);
    expect(await restaurants('filters[chef]')).toEqual([3, 8, 12, 40]);
    expect(await restaurants('filters[$not][seats][$eq]')).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 13, 40]);
  });

  test('a list for a single-value operator combines its items with or', async () => {
    expect(await restaurants('filters[seats][$gt][0]=250&filters[seats][$gt][1]=99')).toEqual([6, 10, 13]);
    expect(await restaurants('filters[seats][$ne][0]=40&filters[seats][$ne][1]=12')).toEqual([
      1, 2, 3, 4, 5, 6, 8, 9, 10, 13, 40,
    ]);
    expect(await restaurants('filters[name][$startsWith]=s&filters[name][$startsWith]=S')).toEqual([2, 3]);
  });

  test('a bare value means $eq, a bare list $in', async () => {
    expect(await restaurants('filters[price]=high')).toEqual([3, 13]);
    expect(await restaurants('filters[price][0]=high&filters[price][1]=luxury')).toEqual([3, 4, 10, 13]);
    expect(await restaurants('filters[price]=high&filters[price]=luxury')).toEqual([3, 4, 10, 13]);
  });

  test('case folding maps each code point to its simple lower case', async () => {
    expect(await restaurants('filters[name][$eqi]=İSTANBUL')).toEqual([4, 5]);
    expect(await restaurants('filters[name][$eqi]=STRASSE')).toEqual([2]);
    expect(await restaurants('filters[motto][$eqi]=οδος')).toEqual([]);
    expect(await restaurants('filters[motto][$eqi]=οδοσ')).toEqual([3]);
  });

  test('%, _ and \\ are ordinary characters in text', async () => {
    expect(await idsOf(content, '/api/categories', 'filters[name][$contains]=%25_\\')).toEqual([75]);
    expect(await idsOf(content, '/api/categories', 'filters[name][$contains]=%25%25')).toEqual([]);
    expect(await idsOf(content, '/api/categories', 'filters[name][$startsWithi]=%25_')).toEqual([75]);
    expect(await idsOf(content, '/api/categories', 'filters[name][$endsWith]=\\')).toEqual([75]);
  });

  test('text is compared by code point', async () => {
    expect(await restaurants('filters[name][$gt]=\uffff')).toEqual([10]);
    expect(await restaurants('filters[name][$lt]=\uffff')).toEqual(named.filter((id) => id !== 10));
  });

  test('$null and $notNull accept a boolean', async () => {
    for (const value of ['true', '1', 't', ...(dialect === 'strapi' ? ['False', 'any other text'] : ['True', 'T'])]) {
      expect(await restaurants(`filters[seats][$null]=${value}`), value).toEqual([7, 11, 12]);
    }
    for (const value of ['false', '0', 'f']) {
      expect(await restaurants(`filters[seats][$notNull]=${value}`), value).toEqual([7, 11, 12]);
    }
  });

  test('$between includes both ends', async () => {
    expect(await restaurants('filters[seats][$between][0]=40&filters[seats][$between][1]=41')).toEqual([1, 9, 40]);
  });

  test('biginteger compares exactly past 2^53', async () => {
    expect(await restaurants('filters[visits]=9007199254740993')).toEqual([1, 9]);
    expect(await restaurants('filters[visits]=9007199254740992')).toEqual([2]);
  });

  test('times compare as HH:mm:ss.SSS', async () => {
    expect(await restaurants('filters[kitchenOpens]=12:30:00.000')).toEqual([7]);
    expect(await restaurants('filters[kitchenOpens][$gt]=12:30:00&filters[kitchenOpens][$lt]=17:00:00')).toEqual([6]);
  });

  test('a field-level $or and $not with several keys below a relation follow these rules', async () => {
    expect(await restaurants('filters[seats][$or][0][$lt]=0&filters[seats][$or][1][$gt]=100')).toEqual([3, 10, 13]);
    expect(await restaurants('filters[chef][$not][stars]=3&filters[chef][$not][name]=Ada')).toEqual([
      2, 5, 6, 7, 9, 13,
    ]);
  });
});
