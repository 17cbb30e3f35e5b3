/** Prints how large the project is beside what it aims at: `npm run size`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const project = join(import.meta.dirname, '..');

/** Programs that record what a Strapi or a front end does. They are run by hand, and do not count as tests. */
const recorders = ['test/strapi/', 'test/websites/'];

/** Returns the paths of the files below a folder whose names have an ending. */
function filesIn(folder: string, ending: string): string[] {
  const files = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith(ending) && !file.includes('node_modules'))
    .map((file) => join(folder, file));
}

function read(file: string): string {
  return readFileSync(join(project, file), 'utf8');
}

function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
}

function wordsOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + read(file).split(/\s+/).filter(Boolean).length, 0);
}

/** The room of a file of `src`: its first folder, or the file itself at the root. */
function roomOf(file: string): string {
  return relative('src', file).split('/')[0];
}

/** Returns the number of rooms on the longest way of imports. A circle of rooms has no longest way and throws. */
function storeysOf(files: readonly string[]): number {
  const imported = new Map<string, Set<string>>();
  for (const file of files) {
    const rooms = imported.get(roomOf(file)) ?? new Set();
    imported.set(roomOf(file), rooms);
    for (const [, path] of read(file).matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+)'/gms)) {
      rooms.add(roomOf(normalize(join(dirname(file), path))));
    }
    rooms.delete(roomOf(file));
  }
  const heightOf = (room: string, above: readonly string[] = []): number => {
    if (above.includes(room)) throw new Error(`rooms import each other: ${[...above, room].join(', ')}`);
    return 1 + Math.max(0, ...Array.from(imported.get(room) ?? [], (below) => heightOf(below, [...above, room])));
  };
  return Math.max(...Array.from(imported.keys(), (room) => heightOf(room)));
}

const source = [...filesIn('src', '.ts'), ...filesIn('src', '.tsx')];
const tests = filesIn('test', '.ts').filter((file) => recorders.every((folder) => !file.startsWith(folder)));
const pages = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', '.md')];

const figures: readonly (readonly [what: string, now: number, aim: number])[] = [
  ['lines of src', linesOf(source), 50_000],
  ['files of src', source.length, 450],
  ['folders at the root of src', new Set(source.map(roomOf).filter((room) => !room.includes('.'))).size, 12],
  ['storeys of rooms', storeysOf(source), 12],
  ['lines of tests, without recorders', linesOf(tests), 50_000],
  ['words of documents', wordsOf(pages), 28_000],
  ['words of docs/architecture.md', wordsOf(['docs/architecture.md']), 4000],
];

for (const [what, now, aim] of figures) {
  const verdict = now <= aim ? 'met' : `${(now - aim).toLocaleString('en-US')} too many`;
  console.log(
    `${what.padEnd(36)}${now.toLocaleString('en-US').padStart(8)} of ${aim.toLocaleString('en-US').padStart(6)}  ${verdict}`,
  );
}
