/**
 * The content of these tests. Each change writes its number into all things and the page, which one URL shows together, so
 * a reply that mixes two changes shows two numbers. It also adds a mark of its own, by which a lost change is noticed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const thingCount = 8;
/** Bytes of the text of a filler. */
const fillerBytes = 500;

/** Writes a snapshot. Fillers make it larger. */
export function writeSnapshot(folder: string, { fillers = 0, label = 'site' } = {}): string {
  const write = (path: string, value: unknown) => writeFileSync(join(folder, path), JSON.stringify(value));
  mkdirSync(join(folder, 'content-types'), { recursive: true });
  mkdirSync(join(folder, 'entries'));
  const number = { type: 'integer' };
  const text = { type: 'text' };
  const related = { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' };
  const types: Record<string, object> = {
    thing: { number, text },
    page: { number, things: related },
    mark: { number },
    filler: { text },
  };
  for (const [name, attributes] of Object.entries(types)) {
    write(`content-types/${name}.json`, { info: { singularName: name, pluralName: `${name}s` }, attributes });
  }
  const names = Array.from({ length: thingCount }, (_, i) => `thing-${i}`);
  write(
    'entries/thing.json',
    names.map((documentId) => ({ documentId, number: 0, text: `${label} ${documentId}` })),
  );
  write('entries/page.json', [{ documentId: 'home', number: 0, things: names }]);
  write('entries/mark.json', []);
  write(
    'entries/filler.json',
    Array.from({ length: fillers }, (_, i) => ({ documentId: `filler-${i}`, text: fillerText(i, fillerBytes) })),
  );
  const permissions = Object.keys(types).flatMap((name) => [
    `api::${name}.${name}.find`,
    `api::${name}.${name}.findOne`,
  ]);
  write('roles.json', [{ type: 'public', permissions }]);
  return folder;
}

/** Returns the changes of a number, as `POST /_changes` takes them. `large` adds an entry with a text of so many bytes. */
export function changesOf(number: number, large = 0): object[] {
  const patch = (type: string, documentId: string) => ({ patch: type, documentId, set: { number } });
  const things = Array.from({ length: thingCount }, (_, i) => patch('api::thing.thing', `thing-${i}`));
  const mark = { upsert: 'api::mark.mark', entry: { documentId: `mark-${number}`, number } };
  const entry = { documentId: `large-${number}`, text: fillerText(number, large) };
  const filler = { upsert: 'api::filler.filler', entry };
  return [...things, patch('api::page.page', 'home'), mark, ...(large > 0 ? [filler] : [])];
}

/** Replies to this path show the numbers of many changes. */
const marksPath = '/api/marks';

/** What readers ask for. */
export const urls: readonly string[] = [
  '/api/things?fields[0]=number&sort=id',
  '/api/pages/home?populate=things',
  '/api/things?filters[number][$gte]=0&sort=number:desc&pagination[pageSize]=5&fields[0]=number',
  '/api/things/thing-3?fields[0]=number',
  marksUrl(1, 3),
];

/** Returns the numbers that a reply shows, without repetition, if they have to be the same. */
export function numbersIn(url: string, body: string): readonly number[] {
  if (url.startsWith(marksPath)) return [];
  return Array.from(new Set(Array.from(body.matchAll(/"number":(\d+)/g), ([, digits]) => Number(digits))));
}

export const marksPageSize = 100;

export function marksUrl(page: number, pageSize = marksPageSize): string {
  return `${marksPath}?sort=number:desc&fields[0]=number&pagination[page]=${page}&pagination[pageSize]=${pageSize}`;
}

/** Returns text that does not repeat itself, so that it takes as much memory as it has characters. */
function fillerText(seed: number, bytes: number): string {
  let text = '';
  for (let i = 0; text.length < bytes; i++) text += `${(seed * 7919 + i * 104_729) % 1_000_003} `;
  return text.slice(0, bytes);
}
