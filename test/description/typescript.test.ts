import { describe, expect, test } from 'vitest';
import { typesOf } from '../../src/description/typescript.ts';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { oddSnapshot } from '../client/odd-snapshot.ts';

/** The TypeScript file that `lectern types` writes. test/client has what a compiler says of it. */

const typesFrom = async (snapshot: JsonSnapshot, role?: string) =>
  typesOf((await open(snapshot)).describeSchema({ role }));

/** A snapshot with types of these plural names, each with the attributes. */
function snapshotOf(plurals: readonly string[], attributes: object = { title: { type: 'string' } }): JsonSnapshot {
  const contentTypes = plurals.map((pluralName, i) => ({
    uid: `api::type${i}.type${i}`,
    kind: 'collectionType' as const,
    info: { singularName: `type${i}`, pluralName },
    attributes: attributes as never,
  }));
  return { contentTypes, entries: {} };
}

test('names that are no identifiers are quoted or changed, and comments stay comments', async () => {
  const text = await typesFrom(oddSnapshot);
  expect(text).toContain('export interface _3dModels {');
  expect(text).toContain("    'file-name': lectern.Text<'required'>;");
  expect(text).toContain('    größe: lectern.Numeric;');
  expect(text).toContain("    '2nd': lectern.Numeric;");
  expect(text).toContain(`kind: lectern.Enumeration<'a "b"' | 'back\\\\slash' | 'it\\'s' | 'ü'>;`);
  expect(text).toContain("  '3d-models': _3dModels;");
  expect(text).not.toContain('Model */');
  expect(text).toContain('  links: Record<never, never>;');
});

test('the order of types and attributes in the schema changes nothing', async () => {
  const { contentTypes, components, entries } = oddSnapshot;
  const reversed = <Value>(members: Record<string, Value>) => Object.fromEntries(Object.entries(members).reverse());
  const types = contentTypes!.map((type) => {
    const attributes = Object.entries(reversed(type.attributes)).map(([name, attribute]) => {
      const { enum: values, components } = attribute as { enum?: string[]; components?: string[] };
      const sorted = {
        ...(values && { enum: values.toReversed() }),
        ...(components && { components: components.toReversed() }),
      };
      return [name, { ...attribute, ...sorted }];
    });
    return { ...type, attributes: Object.fromEntries(attributes) };
  });
  const other = { contentTypes: types.reverse(), components: reversed(components!), entries };
  expect(await typesFrom(other)).toBe(await typesFrom(oddSnapshot));
});

test.each([
  [['news-items', 'newsItems'], 'NewsItems is that of api::type0.type0, too'],
  [['schema'], 'Schema is that of the map of all routes, too'],
  [['types-by-uid', 'b'], 'TypesByUid is that of the map of all content types, too'],
])('types whose names collide are an error that names both: %j', async (plurals, message) => {
  await expect(typesFrom(snapshotOf(plurals))).rejects.toThrow(message);
});

test('a collision is found between content types, components and types of plugins', async () => {
  const snapshot = snapshotOf(['block-quotes', 'upload-files']);
  const components = { 'block.quotes': { attributes: { text: { type: 'string' } } } };
  const [first, ...others] = snapshot.contentTypes!;
  const zone = { ...first, attributes: { parts: { type: 'dynamiczone', components: ['block.quotes'] } } };
  const error = await typesFrom({ ...snapshot, contentTypes: [zone, ...others], components }).catch((reason) => reason);
  expect(error.problems).toEqual([
    expect.stringMatching(/block\.quotes: its TypeScript name BlockQuotes is that of api::type0/),
    expect.stringMatching(/plugin::upload\.file: its TypeScript name UploadFiles is that of api::type1/),
  ]);
});

describe('a role', () => {
  const snapshot: JsonSnapshot = {
    ...snapshotOf(['things', 'secrets'], {
      title: { type: 'string' },
      hidden: { type: 'string', private: true },
      secret: { type: 'relation', relation: 'manyToOne', target: 'api::type1.type1' },
    }),
    roles: [{ type: 'public', permissions: ['api::type0.type0.find'] }] as never,
  };

  test('sees what it may read, and no private attribute', async () => {
    const text = await typesFrom(snapshot, 'public');
    expect(text).toContain('things: Things;');
    expect(text).not.toMatch(/Secrets|secret|hidden/);
    expect(text).toContain("status: 'published';");
  });

  test('is not needed to see all that is not private', async () => {
    const text = await typesFrom(snapshot);
    expect(text).toContain("secret: lectern.One<Secrets, 'count'>;");
    expect(text).not.toContain('hidden');
    expect(text).toContain("status: 'draft' | 'published';");
  });

  test('that does not exist is an error', async () => {
    await expect(typesFrom(snapshot, 'nobody')).rejects.toThrow('There is no role "nobody"');
  });
});
