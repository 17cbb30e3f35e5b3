import { describe, expect, test } from 'vitest';
import type { AttributeDescription, SchemaDescription } from '../../src/description/describe-schema.ts';
import { operators } from '../../src/query/operators.ts';
import { openGazette } from '../conformance/gazette.ts';
import { openShared } from '../support/open-shared.ts';

/** The description of a schema says what queries may do: each statement is tried. */

const scalarsOf = ({ types }: SchemaDescription) =>
  types.flatMap((type) =>
    type.route === null
      ? []
      : type.attributes
          .filter(({ targets, type: kind }) => targets.length === 0 && kind !== 'polymorphic')
          .map((attribute) => ({ type, attribute })),
  );

const linksOf = ({ types }: SchemaDescription) =>
  types.flatMap((type) =>
    type.route === null
      ? []
      : type.attributes
          .filter(({ targets, type: kind }) => targets.length > 0 || kind === 'polymorphic')
          .map((attribute) => ({ type, attribute })),
  );

/** Whether a query is a 400. */
function rejected(ask: () => unknown): boolean {
  try {
    ask();
    return false;
  } catch (error) {
    return (error as { status?: number }).status === 400;
  }
}

/** An operand that fits an operator of an attribute. */
function operandOf({ type, values }: AttributeDescription, operator: keyof typeof operators): unknown {
  const { operand } = operators[operator];
  const of: Record<string, unknown> = {
    boolean: true,
    date: '2020-01-01',
    time: '10:00:00',
    datetime: '2020-01-01T00:00:00.000Z',
    timestamp: '2020-01-01T00:00:00.000Z',
  };
  const isNumber = ['integer', 'biginteger', 'float', 'decimal'].includes(type);
  const json = ['json', 'blocks'].includes(type) ? '"x"' : null;
  const value = json ?? (operand === 'text' ? 'x' : (of[type] ?? (isNumber ? 1 : (values?.[0] ?? 'x'))));
  return operand === 'boolean' ? true : operand === 'list' ? [value] : operand === 'pair' ? [value, value] : value;
}

describe.each([
  ['demo', () => openShared('data/demo', { dialect: 'document' })],
  ['demo in the dialect strapi', () => openShared('data/demo', { dialect: 'strapi' })],
  ['export of a Strapi', () => openGazette()],
])('of the %s', (_, open) => {
  test('names the operators that fit, and no others are accepted', async () => {
    const content = await open();
    let tried = 0;
    for (const { type, attribute } of scalarsOf(content.describeSchema())) {
      // a dialect may answer some filters for lists only
      if (type.kind === 'singleType') continue;
      for (const operator of Object.keys(operators) as (keyof typeof operators)[]) {
        const query = {
          filters: { [attribute.name]: { [operator]: operandOf(attribute, operator) } },
          pagination: { pageSize: 1 },
        };
        const ask = () => rejected(() => content.find(type.route!, query));
        const where = `${type.route} ${JSON.stringify(query)}`;
        expect(ask(), where).toBe(!attribute.operators.includes(operator));
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(1000);
  });

  test('names the links that filters and sorts lead through, and those that can be counted', async () => {
    const content = await open();
    const links = linksOf(content.describeSchema());
    expect(links.length).toBeGreaterThan(10);
    for (const { type, attribute } of links) {
      const { name, isFiltered, isCounted } = attribute;
      for (const query of [{ filters: { [name]: { id: { $gt: 0 } } } }, { sort: `${name}.id` }]) {
        const ask = () => content.find(type.route!, { ...query, pagination: { pageSize: 1 } });
        if (type.kind === 'singleType') continue;
        if (isFiltered) expect(ask, `${type.route} ${JSON.stringify(query)}`).not.toThrow();
        else expect(ask, `${type.route} ${JSON.stringify(query)}`).toThrow();
      }
      const page = { populate: { [name]: { count: true } }, pagination: { pageSize: 100 } };
      const shown = [content.find(type.route!, page).data].flat().map((entry) => entry[name]);
      const counted = shown.filter((value) => typeof value?.count === 'number' && !Array.isArray(value));
      if (isCounted) expect(counted.length, `${type.route} ${name}`).toBe(shown.length);
      else expect(counted, `${type.route} ${name}`).toEqual([]);
    }
  });
});

test('a role is shown the types and links that it may read', async () => {
  const content = await openShared('data/demo', { dialect: 'document' });
  const all = content.describeSchema();
  const open = content.describeSchema({ role: 'public' });
  const uids = (schema: SchemaDescription) => schema.types.map(({ uid }) => uid);
  expect(uids(all)).toEqual(expect.arrayContaining(uids(open)));
  expect(uids(all)).toContain('plugin::users-permissions.user');
  expect(uids(open)).not.toContain('plugin::users-permissions.user');
  expect(JSON.stringify(all)).not.toMatch(/password|resetPasswordToken|editorComment/);
  for (const { attributes } of open.types) {
    for (const { targets } of attributes) expect(uids(open)).toEqual(expect.arrayContaining([...targets]));
  }
  expect([all.readsDrafts, open.readsDrafts]).toEqual([true, false]);
});
