import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The rooms of the house, from the ground up. A file may import from its own room and from those below it, so that
 * data flows one way and each room can be read knowing only what stands under it.
 */
const rooms = [
  ['errors.ts', 'problems.ts', 'describe-problem.ts', 'strict-json.ts', 'suggest.ts', 'dialect.ts'],
  ['sets'],
  ['schema'],
  ['access'],
  ['store'],
  ['snapshot'],
  ['query'],
  ['plan'],
  ['run'],
  ['reply'],
  ['cache.ts', 'config', 'config.ts', 'routes.ts'],
  ['extend', 'tasks.ts', 'trace.ts'],
  ['executor.ts'],
  ['engine.ts'],
  ['http'],
  ['media'],
  ['check-settings.ts', 'content.ts'],
  ['server'],
  ['index.ts'],
  ['cli', 'cli.ts'],
];

const source = join(import.meta.dirname, '../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

function floorOf(file: string): number {
  const room = file.split('/')[0];
  return rooms.findIndex((names) => names.includes(room));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gms);
  return Array.from(found, ([, path]) => relative(source, join(source, dirname(file), path)));
}

test('every file stands in a room that has a floor', () => {
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => floorOf(file) < 0)).toEqual([]);
});

test('imports point down', () => {
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => floorOf(imported) > floorOf(file) || floorOf(imported) < 0)
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(upward).toEqual([]);
});

test('no two files import each other, directly or round about', () => {
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

test('only the published face re-exports', () => {
  const reExports = files.filter((file) =>
    /^export (?:type )?(?:\*|\{[^}]*\}) from/m.test(readFileSync(join(source, file), 'utf8')),
  );
  expect(reExports.filter((file) => file !== 'index.ts')).toEqual([]);
});
