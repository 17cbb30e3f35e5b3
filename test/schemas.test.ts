/** The published JSON Schemas accept the demo and refuse what data/README.md does not allow. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const SCHEMAS = join(import.meta.dirname, '../data/schemas');
const DEMO = join(import.meta.dirname, '../data/demo');

type Json = Record<string, unknown>;

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** zod follows references only within one schema, so the shared one is copied in. */
function validator(name: string): z.ZodType {
  const shared: Json & { $defs: Json } = read(join(SCHEMAS, 'attributes.schema.json'));
  const { $defs, ...attributes } = shared;
  const text = readFileSync(join(SCHEMAS, `${name}.schema.json`), 'utf8');
  const schema = JSON.parse(text.replaceAll('"attributes.schema.json"', '"#/$defs/attributes"'));
  return z.fromJSONSchema({ ...schema, $defs: { ...schema.$defs, ...$defs, attributes } });
}

const contentType = validator('content-type');
const component = validator('component');
const entries = validator('entries');
const roles = validator('roles');
const settings = validator('settings');

/** The first problems, in words; empty if the value fits. */
function problems(schema: z.ZodType, value: unknown): string {
  const result = schema.safeParse(value);
  return result.success ? '' : z.prettifyError(result.error).slice(0, 2000);
}

describe('the demo', () => {
  const files = (folder: string) => readdirSync(join(DEMO, folder)).map((name) => join(DEMO, folder, name));

  test.each([
    ['content-types', contentType],
    ['entries', entries],
  ] as const)('%s', (folder, schema) => {
    for (const path of files(folder)) expect(problems(schema, read(path)), path).toBe('');
  });

  test('components', () => {
    const paths = readdirSync(join(DEMO, 'components')).flatMap((category) => files(join('components', category)));
    for (const path of paths) expect(problems(component, read(path)), path).toBe('');
  });

  test('snapshot.json and roles.json', () => {
    expect(problems(settings, read(join(DEMO, 'snapshot.json')))).toBe('');
    expect(problems(roles, read(join(DEMO, 'roles.json')))).toBe('');
  });

  test('every $schema points to a schema', () => {
    for (const path of [
      ...files('content-types'),
      join(DEMO, 'snapshot.json'),
      join(DEMO, 'components/shared/seo.json'),
    ]) {
      expect(read(join(path, '..', read(path).$schema)).title, path).toBeTypeOf('string');
    }
  });
});

describe('content types and components', () => {
  const info = { singularName: 'stone', pluralName: 'stones' };
  const withAttribute = (attribute: unknown, name = 'colour') => ({ info, attributes: { [name]: attribute } });

  test.each([
    { type: 'string', required: true, unique: true, maxLength: 9, default: 'x', pluginOptions: {}, conditions: {} },
    { type: 'uid', targetField: 'title' },
    { type: 'media' },
    { type: 'relation', relation: 'oneToMany', target: 'api::stone.stone', mappedBy: 'owner' },
    { type: 'relation', relation: 'morphToMany' },
    { type: 'biginteger', min: '-9007199254740993' },
  ])('accept %j', (attribute) => {
    expect(problems(contentType, withAttribute(attribute))).toBe('');
    expect(problems(component, { attributes: { colour: attribute } })).toBe('');
  });

  test.each([
    ['an unknown type', { type: 'colour' }],
    ['no type', {}],
    ['a misspelled key', { type: 'string', privat: true }],
    ['an enumeration without values', { type: 'enumeration' }],
    ['an empty enumeration', { type: 'enumeration', enum: [] }],
    ['a relation without a target', { type: 'relation', relation: 'oneToOne' }],
    ['a relation without a kind', { type: 'relation', target: 'api::stone.stone' }],
    ['an unknown relation', { type: 'relation', relation: 'someToSome', target: 'api::stone.stone' }],
    ['a target that is no uid', { type: 'relation', relation: 'oneToOne', target: 'stone' }],
    ['both sides', { type: 'relation', relation: 'oneToOne', target: 'api::a.a', inversedBy: 'x', mappedBy: 'y' }],
    ['a derived manyToOne', { type: 'relation', relation: 'manyToOne', target: 'api::a.a', mappedBy: 'y' }],
    ['morphMany without morphBy', { type: 'relation', relation: 'morphMany', target: 'api::a.a' }],
    ['morphToOne with a target', { type: 'relation', relation: 'morphToOne', target: 'api::a.a' }],
    ['a component without a uid', { type: 'component' }],
    ['a dynamic zone without components', { type: 'dynamiczone' }],
    ['a key of another type', { type: 'string', target: 'api::a.a' }],
  ])('refuse %s', (_, attribute) => {
    expect(problems(contentType, withAttribute(attribute))).not.toBe('');
    expect(problems(component, { attributes: { colour: attribute } })).not.toBe('');
  });

  test.each(['documentId', 'status', '2nd', '__type', 'a-b'])('refuse an attribute named %s', (name) => {
    expect(problems(contentType, withAttribute({ type: 'string' }, name))).not.toBe('');
  });

  test.each([
    ['no names', { attributes: {} }],
    ['no attributes', { info }],
    ['an unknown kind', { info, attributes: {}, kind: 'manyType' }],
    ['a misspelled key', { info, attributes: {}, option: {} }],
    ['a name with capitals', { info: { ...info, singularName: 'Stone' }, attributes: {} }],
    ['drafts that are no boolean', { info, attributes: {}, options: { draftAndPublish: 'yes' } }],
  ])('refuse a content type with %s', (_, value) => {
    expect(problems(contentType, value)).not.toBe('');
  });
});

test.each([
  ['no documentId', [{ title: 'x' }]],
  ['an empty documentId', [{ documentId: '' }]],
  ['id 0', [{ id: 0, documentId: 'a' }]],
  ['an id of text', [{ id: '1', documentId: 'a' }]],
  ['an unknown status', [{ documentId: 'a', status: 'modified' }]],
  ['a moment without a zone', [{ documentId: 'a', createdAt: '2026-01-05T08:00:00' }]],
  ['__component at the top', [{ documentId: 'a', __component: 'a.b' }]],
  ['no list', { documentId: 'a' }],
])('entries with %s are refused', (_, value) => {
  expect(problems(entries, [{ documentId: 'a', title: null, parts: [{ __component: 'a.b' }] }])).toBe('');
  expect(problems(entries, value)).not.toBe('');
});

test.each([
  ['no type', [{ permissions: [] }]],
  ['no permissions', [{ type: 'public' }]],
  ['a permission that is no action', [{ type: 'public', permissions: ['article'] }]],
  ['an unknown key', [{ type: 'public', permissions: [], users: [] }]],
])('roles with %s are refused', (_, value) => {
  expect(problems(roles, [{ type: 'public', permissions: ['api::article.article.find', 'draft'] }])).toBe('');
  expect(problems(roles, value)).not.toBe('');
});

test.each([
  ['an unknown key', { locale: 'en' }],
  ['no locale', { locales: [] }],
  ['a locale without a code', { locales: [{ name: 'English' }] }],
])('settings with %s are refused', (_, value) => {
  expect(problems(settings, { defaultLocale: 'pt-BR', locales: [{ code: 'pt-BR' }] })).toBe('');
  expect(problems(settings, value)).not.toBe('');
});
