/** The published JSON Schemas accept the demo and refuse what data/README.md does not allow. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { attributeKeys, componentFile, contentTypeFile } from '../../src/load/definitions.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { namePattern, reservedInComponents, reservedInTypes } from '../../src/model/schema/type-definition.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { expectProblem } from '../support/broken.ts';
import { filesIn, writtenTo } from '../support/written-snapshot.ts';

const SCHEMAS = join(import.meta.dirname, '../../data/schemas');
const DEMO = join(import.meta.dirname, '../../data/demo');

function read(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Schemas refer to one another by the names of their files. */
const ajv = new Ajv2020({ allErrors: true, strict: false });
for (const file of readdirSync(SCHEMAS)) ajv.addSchema(read(join(SCHEMAS, file)), file);

function validator(name: string): ValidateFunction {
  return ajv.getSchema(`${name}.schema.json`)!;
}

const contentType = validator('content-type');
const component = validator('component');
const entries = validator('entries');
const roles = validator('roles');
const settings = validator('settings');

/** Keys that no entry has: they are derived, or belong to items of relations and zones. */
const neverWritten = ['createdBy', 'updatedBy', 'localizations', '__type', '__component'];

/** Returns the anchored pattern of attribute names, except for the reserved ones. */
function namePatternExcept(reserved: Iterable<string>): string {
  return `^(?!(${[...reserved].join('|')})$)${namePattern}$`;
}

/** The first problems, in words; empty if the value fits. */
function problems(schema: ValidateFunction, value: unknown): string {
  return schema(value) ? '' : ajv.errorsText(schema.errors).slice(0, 2000);
}

test.each(['data/demo', 'test/fixtures/guide'])('what lectern export writes of %s', async (path) => {
  const files = Object.entries(filesIn(await writtenTo(await loadSnapshot(join(SCHEMAS, '../..', path)))));
  const schemaOf = (name: string) => {
    const schemas = { 'content-types': contentType, components: component, entries, 'roles.json': roles };
    return schemas[name.split('/')[0] as keyof typeof schemas] ?? settings;
  };
  expect(files.length).toBeGreaterThan(8);
  for (const [name, text] of files) expect(problems(schemaOf(name), JSON.parse(text)), name).toBe('');
});

test('the settings of a snapshot of a Strapi', async () => {
  const { 'snapshot.json': text } = filesIn(await writtenTo(await loadSnapshot(gazetteExport)));
  expect(problems(settings, JSON.parse(text))).toBe('');
});

describe('the demo', () => {
  const files = (folder: string) => readdirSync(join(DEMO, folder)).map((name) => join(DEMO, folder, name));

  test.each([
    ['content-types', contentType],
    ['entries', entries],
  ] as const)('%s', (folder, schema) => {
    for (const path of files(folder)) expect(problems(schema, read(path)), path).toBe('');
  });

  test('accepts the components', () => {
    const paths = readdirSync(join(DEMO, 'components')).flatMap((category) => files(join('components', category)));
    for (const path of paths) expect(problems(component, read(path)), path).toBe('');
  });

  test('accepts snapshot.json and roles.json', () => {
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
  const withAttribute = (attribute: object, name = 'colour') => ({ info, attributes: { [name]: attribute } });

  test.each([
    { type: 'string', required: true, unique: true, maxLength: 9, default: 'x', pluginOptions: {}, conditions: {} },
    { type: 'uid', targetField: 'title' },
    { type: 'media' },
    { type: 'relation', relation: 'oneToMany', target: 'api::stone.stone', mappedBy: 'owner' },
    { type: 'relation', relation: 'morphToMany' },
    { type: 'biginteger', min: '-9007199254740993' },
  ])('accept the attribute %j', (attribute) => {
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
  ])('reject an attribute with %s', (_, attribute) => {
    expect(problems(contentType, withAttribute(attribute))).not.toBe('');
    expect(problems(component, { attributes: { colour: attribute } })).not.toBe('');
  });

  test.each([...reservedInTypes, 'a.b', '12', ''])('reject an attribute named %j, as the loader does', async (name) => {
    const { attributes } = withAttribute({ type: 'string' }, name);
    expect(problems(contentType, { info, attributes })).not.toBe('');
    await expectProblem({ contentTypes: [{ info, attributes }] }, 'stone', name);
  });

  test.each([...reservedInComponents, 'a.b', '12', ''])('reject an attribute named %j in a component', async (name) => {
    const { attributes } = withAttribute({ type: 'string' }, name);
    expect(problems(component, { attributes })).not.toBe('');
    await expectProblem({ contentTypes: [{ info, attributes: {} }], components: { 'a.b': { attributes } } }, name);
  });

  test.each(['2nd', 'a-b', 'größe', '3d_model', '_a', 'название'])('accept an attribute named %s', async (name) => {
    const { attributes } = withAttribute({ type: 'string' }, name);
    expect(problems(contentType, { info, attributes })).toBe('');
    expect(problems(component, { attributes })).toBe('');
    const stone = [{ documentId: 'a', [name]: 'x' }];
    expect(problems(entries, stone)).toBe('');
    const components = { 'a.b': { attributes } };
    const content = await open({ contentTypes: [{ info, attributes }], components, entries: { stone } });
    expect(content.find('stones', { filters: { [name]: 'x' }, fields: [name] }).data[0][name]).toBe('x');
  });

  test('accept a component with attribute names that entries reserve', async () => {
    const names = [...reservedInTypes].filter((name) => !reservedInComponents.has(name));
    const attributes = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    expect(problems(component, { attributes })).toBe('');
    await open({ contentTypes: [{ info, attributes: {} }], components: { 'a.b': { attributes } } });
  });

  test('list the names and keys that the loader knows', () => {
    const { propertyNames, $defs } = read(join(SCHEMAS, 'attributes.schema.json'));
    expect(propertyNames.pattern).toBe(namePatternExcept(reservedInTypes));
    expect(read(join(SCHEMAS, 'component.schema.json')).properties.attributes.propertyNames.pattern).toBe(
      namePatternExcept(reservedInComponents),
    );
    expect(read(join(SCHEMAS, 'entries.schema.json')).$defs.entry.propertyNames.pattern).toBe(
      namePatternExcept(neverWritten),
    );
    const forms = $defs.attribute.anyOf.flatMap(({ properties }: { properties: object }) => Object.keys(properties));
    expect(new Set([...$defs.commonKey.enum, ...forms])).toEqual(attributeKeys);
    for (const [file, shape] of [
      ['content-type', contentTypeFile],
      ['component', componentFile],
    ] as const) {
      expect(Object.keys(read(join(SCHEMAS, `${file}.schema.json`)).properties).sort()).toEqual(
        Object.keys(shape.shape).sort(),
      );
    }
  });

  test.each([
    ['no names', { attributes: {} }],
    ['no attributes', { info }],
    ['an unknown kind', { info, attributes: {}, kind: 'manyType' }],
    ['a misspelled key', { info, attributes: {}, option: {} }],
    ['a name with capitals', { info: { ...info, singularName: 'Stone' }, attributes: {} }],
    ['drafts that are no boolean', { info, attributes: {}, options: { draftAndPublish: 'yes' } }],
  ])('reject a content type with %s', (_, value) => {
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
  ['an unknown key beside them', { entries: [{ documentId: 'a' }], entires: [] }],
  ['createdBy', [{ documentId: 'a', createdBy: null }]],
])('entries with %s are rejected', (_, value) => {
  expect(problems(entries, [{ documentId: 'a', title: null, parts: [{ __component: 'a.b' }] }])).toBe('');
  expect(problems(entries, value)).not.toBe('');
});

test('entries and roles are accepted in an object beside $schema', () => {
  expect(problems(entries, { $schema: 'x', entries: [{ documentId: 'a' }] })).toBe('');
  expect(problems(roles, { $schema: 'x', roles: [{ type: 'public', permissions: [] }] })).toBe('');
  expect(problems(roles, { roles: [{ type: 'public' }] })).not.toBe('');
});

test.each([
  ['no type', [{ permissions: [] }]],
  ['no permissions', [{ type: 'public' }]],
  ['a permission that is no action', [{ type: 'public', permissions: ['article'] }]],
  ['an unknown key', [{ type: 'public', permissions: [], users: [] }]],
])('roles with %s are rejected', (_, value) => {
  expect(problems(roles, [{ type: 'public', permissions: ['api::article.article.find', 'draft'] }])).toBe('');
  expect(problems(roles, value)).not.toBe('');
});

test.each([
  ['an unknown key', { locale: 'en' }],
  ['no locale', { locales: [] }],
  ['a locale without a code', { locales: [{ name: 'English' }] }],
])('settings with %s are rejected', (_, value) => {
  expect(problems(settings, { defaultLocale: 'pt-BR', locales: [{ code: 'pt-BR' }] })).toBe('');
  expect(problems(settings, value)).not.toBe('');
});
