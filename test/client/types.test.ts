import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type {
  AttributeDescription,
  SchemaDescription,
  TypeDescription,
} from '../../src/description/describe-schema.ts';
import { typesOf } from '../../src/description/typescript.ts';
import type { Content } from '../../src/index.ts';
import { openGazette } from '../conformance/gazette.ts';
import { temporaryFolder } from '../support/folders.ts';
import { openGuide } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { largeSchema, nestedQueries } from './large-schema.ts';
import { oddSnapshot } from './odd-snapshot.ts';

/** The types of the client, as a compiler sees them. */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Compiles files, by name, and returns the errors and how many types the compiler made from generic ones. */
async function compile(files: Record<string, string>): Promise<{ errors: string[]; instantiations: number }> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    types: [],
    paths: { 'lectern/client': [join(root, 'src/client/index.ts')] },
  };
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(
    process.execPath,
    [compiler, '-p', config, '--extendedDiagnostics', '--singleThreaded'],
    {
      maxBuffer: 2 ** 26,
    },
  ).catch((error) => error as { stdout: string });
  const found = /Instantiations:\s+(\d+)/.exec(stdout);
  if (!found) throw new Error(stdout);
  return { errors: stdout.split('\n').filter((line) => line.includes('error TS')), instantiations: Number(found[1]) };
}

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'types', name), 'utf8');

test('the types of the demo are those of the tests', async () => {
  const content = await openShared('data/demo', { dialect: 'document' });
  expect(typesOf(content.describeSchema())).toBe(fixture('demo.ts'));
});

test('wrong queries do not compile, and right ones do', async () => {
  const files = {
    'demo.ts': fixture('demo.ts'),
    'accepted.ts': fixture('accepted.ts'),
    'refused.ts': fixture('refused.ts'),
  };
  expect(fixture('refused.ts').split('@ts-expect-error').length - 1).toBeGreaterThan(300);
  expect((await compile(files)).errors).toEqual([]);
  // the compiler names a line that compiles although it must not
  const wrong = fixture('refused.ts').replace("{ filters: { titel: 'x' } }", "{ filters: { title: 'x' } }");
  expect((await compile({ ...files, 'refused.ts': wrong })).errors).toEqual([expect.stringContaining('TS2578')]);
});

/** Queries of one type that populate all it leads to, in each form. */
function queriesOf({ attributes, kind }: TypeDescription, { types }: SchemaDescription): object[] {
  const links = attributes.filter(({ targets, type }) => targets.length > 0 || type === 'polymorphic');
  const typeOf = (uid: string) => types.find((type) => type.uid === uid)!;
  const scalars = attributes.filter(({ operators }) => operators.length > 0).map(({ name }) => name);
  const ofLink = ({ name, type, targets, isCounted, many }: AttributeDescription): object[] => {
    if (type === 'polymorphic') return [{ populate: { [name]: true } }];
    if (type === 'dynamiczone') {
      const on = Object.fromEntries(targets.map((uid) => [uid, { populate: '*' }]));
      return [{ populate: name }, { populate: { [name]: { on } } }, { populate: { [name]: { populate: '*' } } }];
    }
    const [first] = typeOf(targets[0]).attributes.filter(({ operators }) => operators.length > 0);
    const paths = typeOf(targets[0])
      .attributes.filter((each) => each.targets.length === 1)
      .map((each) => each.name);
    return [
      { populate: { [name]: { fields: [first.name], ...(type === 'component' && { populate: '*' }) } } },
      { populate: [name, ...paths.slice(0, 1).map((path) => `${name}.${path}`)] },
      ...(isCounted ? [{ populate: { [name]: { count: true } } }] : []),
      ...(many ? [{ populate: { [name]: { filters: { id: { $gt: 0 } } } } }] : []),
    ];
  };
  const state = kind === 'component' ? [] : [{ status: 'draft', populate: '*' }];
  return [{}, { populate: '*' }, { fields: scalars.slice(0, 3) }, { fields: '*' }, ...state, ...links.flatMap(ofLink)];
}

/** Returns a file that assigns replies to the types of their queries, and the number of entries in it. */
function repliesOf(content: Content): { text: string; entries: number } {
  const schema = content.describeSchema();
  const lines = ["import { createClient } from 'lectern/client';", "import type { Schema } from './schema.ts';"];
  lines.push("const client = createClient<Schema>({ url: 'http://127.0.0.1/api' });");
  let entries = 0;
  for (const type of schema.types) {
    if (type.route === null) continue;
    for (const query of queriesOf(type, schema)) {
      let found: { data: unknown };
      try {
        found = content.find(type.route, { ...query, pagination: { pageSize: 2 } });
      } catch (error) {
        // a single type without an entry
        if ((error as { status?: number }).status === 404) continue;
        throw error;
      }
      const number = lines.length;
      entries += [found.data].flat().length;
      lines.push(`const ask${number} = () => client.find(${JSON.stringify(type.route)}, ${JSON.stringify(query)});`);
      lines.push(
        `export const reply${number}: Awaited<ReturnType<typeof ask${number}>>['data'] = ${JSON.stringify(found.data)};`,
      );
    }
  }
  return { text: lines.join('\n'), entries };
}

/** Queries of one type that must not compile, one for each cause that the type has. */
function wrongQueriesOf({ attributes }: TypeDescription): object[] {
  const name = (fits: (attribute: AttributeDescription) => boolean) => attributes.filter(fits).slice(0, 3);
  const none = 'noSuchName';
  const withNumber = name(({ type }) => ['integer', 'float', 'decimal', 'date', 'datetime', 'boolean'].includes(type));
  const withText = name(({ type }) => ['string', 'text', 'uid', 'enumeration'].includes(type));
  const json = name(({ type }) => type === 'json' || type === 'blocks');
  const links = name(({ targets, isFiltered }) => targets.length === 1 && isFiltered);
  const unfiltered = name(
    ({ targets, type, isFiltered }) => !isFiltered && (targets.length > 0 || type === 'polymorphic'),
  );
  const zones = name(({ type }) => type === 'dynamiczone');
  return [
    { filters: { [none]: 1 } },
    { filters: { $or: [{ [none]: 1 }] } },
    { filters: { $not: { [none]: 1 } } },
    { fields: [none] },
    { fields: ['id', none] },
    { sort: none },
    { sort: ['id', `${none}:asc`] },
    { sort: { [none]: 'asc' } },
    { sort: 'id:up' },
    { populate: none },
    { populate: [none] },
    { populate: { [none]: true } },
    { locale: 'xx-none' },
    { status: none },
    { [none]: 1 },
    ...withNumber.flatMap((each) => [
      { filters: { [each.name]: { $contains: 'x' } } },
      { filters: { [each.name]: { $eqi: 'x' } } },
      { filters: { [each.name]: { $gt: {} } } },
    ]),
    ...withText.flatMap((each) => [{ filters: { [each.name]: 5 } }, { filters: { [each.name]: { $like: 'x' } } }]),
    ...json.flatMap((each) => [{ filters: { [each.name]: { $eq: 'x' } } }, { filters: { [each.name]: { $lt: 1 } } }]),
    ...links.flatMap((each) => [
      { filters: { [each.name]: { [none]: 1 } } },
      { sort: `${each.name}.${none}` },
      { fields: [each.name] },
      { populate: `${each.name}.${none}` },
      { populate: { [each.name]: { fields: [none] } } },
      { populate: { [each.name]: { populate: { [none]: true } } } },
      { populate: { [each.name]: { filters: { id: 1, [none]: 1 } } } },
      { populate: { [each.name]: { sort: none } } },
      { populate: { [each.name]: { limit: 1 } } },
    ]),
    ...unfiltered.flatMap((each) => [{ filters: { [each.name]: { id: 1 } } }, { sort: `${each.name}.id` }]),
    ...zones.flatMap((each) => [
      { populate: { [each.name]: { on: { [none]: true } } } },
      { populate: { [each.name]: { fields: ['id'] } } },
    ]),
  ];
}

/** Returns a file whose queries must not compile. */
function refusalsOf({ types }: SchemaDescription): string {
  const lines = ["import { createClient } from 'lectern/client';", "import type { Schema } from './schema.ts';"];
  lines.push(
    "const client = createClient<Schema>({ url: 'http://127.0.0.1/api' });",
    'export function refused(): void {',
  );
  for (const type of types) {
    if (type.route === null) continue;
    for (const query of wrongQueriesOf(type)) {
      lines.push('// @ts-expect-error', `client.find(${JSON.stringify(type.route)}, ${JSON.stringify(query)});`);
    }
  }
  return [...lines, '}'].join('\n');
}

/** What the routes of plugins add to entries, and Strapi to entries that it reaches through polymorphic relations. */
const added = /may only specify known properties, and '\\?"(?:isDefault|isUrlSigned|nb_users|locale)\\?"'/;

describe('replies have the types of their queries, and wrong queries do not compile', () => {
  test.each([
    ['demo', () => openShared('data/demo', { dialect: 'document' })],
    ['demo in the dialect strapi', () => openShared('data/demo', { dialect: 'strapi' })],
    ['guide', () => openGuide()],
    ['export of a Strapi', () => openGazette()],
    ['odd names', () => openShared(oddSnapshot)],
  ])('%s', async (_, open) => {
    const content = await open();
    const { text, entries } = repliesOf(content);
    expect(entries).toBeGreaterThan(10);
    const schema = content.describeSchema();
    const refusals = refusalsOf(schema);
    expect(refusals.split('@ts-expect-error').length).toBeGreaterThan(60);
    const { errors } = await compile({ 'schema.ts': typesOf(schema), 'replies.ts': text, 'refused.ts': refusals });
    expect(errors.filter((error) => !added.test(error))).toEqual([]);
  });
});

test('60 queries of depth 5 over 60 types take at most 100,000 instantiations', async () => {
  const content = await openShared(largeSchema(60));
  const files = { 'schema.ts': typesOf(content.describeSchema()), 'queries.ts': nestedQueries(60) };
  const { errors, instantiations } = await compile(files);
  expect(errors).toEqual([]);
  expect(instantiations).toBeGreaterThan(1000);
  expect(instantiations).toBeLessThanOrEqual(100_000);
});
