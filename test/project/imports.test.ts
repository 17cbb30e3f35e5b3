import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The layers of `src/`, from the bottom up. A file imports from its own folder and from layers below, so data flows one
 * way, and a folder can be read knowing only what lies under it.
 */
const layers = [
  'base',
  'journal',
  'memory',
  'sets',
  'model',
  'access',
  'strapi-project',
  'store',
  'build',
  'drafts',
  'image',
  'load',
  'diff',
  'changes',
  'compact',
  'query',
  'derived',
  'plan',
  'run',
  'reply',
  'config',
  'engine',
  'extend',
  'http',
  'media',
  'content',
  'content.ts',
  'open.ts',
  'live',
  'contents',
  'source',
  'server',
  'threads',
  'index.ts',
  'cli',
  'cli.ts',
];

const source = join(import.meta.dirname, '../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function layerOf(file: string): number {
  return layers.indexOf(file.split('/')[0]);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gms);
  return Array.from(found, ([, path]) => relative(source, join(source, dirname(file), path)));
}

test('every file belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
});

test('imports point down', () => {
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => layerOf(imported) > layerOf(file) || layerOf(imported) < 0)
      .map((imported) => `${file} imports ${imported}`),
  );
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
  const dialects = ['query/document/', 'query/strapi/', 'query/dialects.ts', 'base/dialect.ts'];
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
    expect(inside.length).toBeGreaterThan(5);
    const wrong = inside.filter((file) => importsOf(file).some((path) => others.some((each) => path.startsWith(each))));
    expect(wrong).toEqual([]);
  }
});

test('only the published face re-exports', () => {
  const reExports = files.filter((file) =>
    /^export (?:type )?(?:\*|\{[^}]*\}) from/m.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(reExports.filter((file) => file !== 'index.ts')).toEqual([]);
});
