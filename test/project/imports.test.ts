import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The rooms of `src/`, from the bottom up, and the rooms below that each imports from. Data flows one way, and a room can
 * be read knowing only what lies under it.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  client: [],
  adapters: ['client'],
  core: [],
  publication: ['core'],
  model: ['core'],
  store: ['core', 'model'],
  query: ['core', 'model', 'store'],
  load: ['core', 'model', 'store'],
  description: ['core', 'model', 'query'],
  explorer: ['description'],
  engine: ['core', 'model', 'store', 'query', 'description'],
  changes: ['core', 'model', 'store', 'load'],
  'admin-page': ['explorer', 'changes'],
  http: ['core', 'model', 'store', 'query', 'load', 'description'],
  content: [
    'client',
    'core',
    'publication',
    'model',
    'store',
    'query',
    'load',
    'description',
    'engine',
    'changes',
    'http',
  ],
  follow: ['core', 'publication', 'model', 'store', 'load', 'changes', 'http', 'content'],
  server: ['core', 'model', 'store', 'query', 'load', 'engine', 'changes', 'http', 'content'],
  'index.ts': ['core', 'model', 'query', 'load', 'description', 'engine', 'changes', 'content'],
  cli: [
    'core',
    'publication',
    'model',
    'store',
    'query',
    'load',
    'description',
    'changes',
    'http',
    'content',
    'follow',
    'server',
  ],
  'cli.ts': ['cli'],
};

/** Stages in a room: a folder imports none of those after it. */
const stages = [
  ['model/schema/', 'model/collations/', 'model/access/', 'model/settings/'],
  ['query/syntax/', 'query/bind/', 'query/visible/', 'query/plan/', 'query/run/', 'query/reply/'],
  ['changes/log/', 'changes/journal/', 'changes/batch/'],
  ['content/versions/', 'content/live/', 'content/previews/'],
];
const source = join(import.meta.dirname, '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));

function roomOf(file: string): string {
  return file.split('/')[0];
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gms);
  return Array.from(found, ([, path]) => relative(source, join(source, dirname(file), path)));
}

test('every file belongs to a room', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !(roomOf(file) in rooms))).toEqual([]);
});

test('a room imports from the rooms below that it names', () => {
  const names = Object.keys(rooms);
  for (const [i, name] of names.entries()) expect(names.slice(0, i)).toEqual(expect.arrayContaining([...rooms[name]]));
  const found = new Map(names.map((name) => [name, new Set<string>()]));
  for (const file of files) for (const imported of importsOf(file)) found.get(roomOf(file))!.add(roomOf(imported));
  for (const name of names) found.get(name)!.delete(name);
  const inOrder = (some: ReadonlySet<string>) => names.filter((name) => some.has(name));
  expect(Object.fromEntries(names.map((name) => [name, inOrder(found.get(name)!)]))).toEqual(rooms);
});

test('a stage of a room imports no later one', () => {
  const upward = stages.flatMap((folders) => {
    const stageOf = (file: string) => folders.findIndex((folder) => file.startsWith(folder));
    return files.flatMap((file) =>
      importsOf(file).flatMap((imported) =>
        stageOf(file) >= 0 && stageOf(imported) > stageOf(file) ? [`${file} imports ${imported}`] : [],
      ),
    );
  });
  expect(upward).toEqual([]);
});

test('there are no import cycles', () => {
  const loops: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) loops.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file) || path.includes(file)) return;
    for (const imported of importsOf(file)) visit(imported, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(loops).toEqual([]);
});

test('parsing and binding a query know no dialect', () => {
  const core = files.filter((file) => file.startsWith('query/syntax/') || file.startsWith('query/bind/'));
  expect(core.length).toBeGreaterThan(20);
  const dialects = ['query/document/', 'query/strapi/', 'query/dialects.ts', 'core/dialect.ts'];
  const informed = core.filter((file) =>
    importsOf(file).some((path) => dialects.some((each) => path.startsWith(each))),
  );
  expect(informed).toEqual([]);
});

test('the syntax of a query knows no binding, and a dialect knows no other', () => {
  const forbidden = {
    'query/syntax/': ['query/bind/', 'query/policies.ts'],
    'query/document/': ['query/strapi/'],
    'query/strapi/': ['query/document/'],
  };
  for (const [folder, others] of Object.entries(forbidden)) {
    const inside = files.filter((file) => file.startsWith(folder));
    expect(inside.length).toBeGreaterThan(3);
    const wrong = inside.filter((file) => importsOf(file).some((path) => others.some((each) => path.startsWith(each))));
    expect(wrong).toEqual([]);
  }
});

test('only the published faces re-export', () => {
  const reExports = files.filter((file) =>
    /^export (?:type )?(?:\*|\{[^}]*\}) from/m.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(reExports.sort()).toEqual(['client/index.ts', 'index.ts']);
});
