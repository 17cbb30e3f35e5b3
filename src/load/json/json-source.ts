/** Where a JSON snapshot comes from: a folder of files, or one object in memory. Both give the same pieces. */
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RoleDefinition } from '../../access/definitions.ts';
import { SnapshotError } from '../../base/errors.ts';
import type { Problems } from '../../base/problems.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import { didYouMean, nearestName } from '../../base/suggest.ts';
import { BrokenFile } from '../broken-file.ts';
import type { ComponentFile, ContentTypeFile, SettingsFile } from '../definitions.ts';
import { arrayElements } from '../elements.ts';
import { filesBelow, placeInFile, refuseOthers, wholeFile } from '../files.ts';
import { excessOf, excessOfValue } from '../json-extent.ts';
import { limits } from '../limits.ts';

/** A JSON snapshot in memory. `entries` are by singular name of their type. All but `contentTypes` may be left out. */
export interface JsonSnapshot {
  settings?: SettingsFile;
  contentTypes: ContentTypeFile[];
  components?: Record<string, ComponentFile>;
  entries?: Record<string, Record<string, unknown>[]>;
  roles?: RoleDefinition[];
}

/** A piece that has not been checked, and the file that it stands in. */
export interface Piece {
  place: string;
  value: unknown;
}

export interface JsonSource {
  settings: Piece | null;
  contentTypes: Piece[];
  components: (Piece & { uid: string })[];
  roles: Piece | null;
  /** By singular name. */
  entries: Map<string, { place: string; batches: () => AsyncIterable<unknown[]> }>;
  /** Where the entries of a type are looked for, by its singular name. */
  entriesPlace: (singularName: string) => string;
  /**
   * The types in words, where they are inferred from data. Such a snapshot has no drafts, locales or users, so entries
   * may have a `status` of their own, and a collection may be called `users`.
   */
  inferred?: readonly string[];
  /** The folder of uploaded files, if there is one. */
  uploads?: string;
}

const snapshotKeys = ['settings', 'contentTypes', 'components', 'entries', 'roles'];

/** The pieces of a snapshot in memory. `file` stands before each place, if the object comes from a file. */
export function sourceOfObject(snapshot: JsonSnapshot, file = ''): JsonSource {
  const { settings, contentTypes, components = {}, entries = {}, roles } = snapshot;
  if (!Array.isArray(contentTypes)) throw new SnapshotError(['contentTypes: a list of content types is expected']);
  for (const key of Object.keys(snapshot)) {
    if (snapshotKeys.includes(key) || key === '$schema') continue;
    const suggestion = didYouMean(key, snapshotKeys);
    throw new SnapshotError([`${file}${key}: unknown key${suggestion}; a snapshot has ${snapshotKeys.join(', ')}`]);
  }
  for (const [place, value] of Object.entries({ components, entries })) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) throw new SnapshotError([`${file}${place}: an object is expected, by uid or singular name`]);
  }
  // a file has been checked as text
  const isChecked = file !== '';
  const source: JsonSource = {
    settings: settings ? { place: `${file}settings`, value: settings } : null,
    contentTypes: contentTypes.map((value, i) => ({
      place: `${file}contentTypes ${value?.info?.singularName ?? `[${i}]`}`,
      value,
    })),
    components: Object.entries(components).map(([uid, value]) => ({ place: `${file}components ${uid}`, uid, value })),
    roles: roles ? { place: `${file}roles`, value: roles } : null,
    entriesPlace: (name) => `${file}entries ${name}`,
    entries: new Map(
      Object.entries(entries).map(([name, list]) => [
        name,
        { place: `${file}entries ${name}`, batches: () => (isChecked ? once(list) : onceChecked(list)) },
      ]),
    ),
  };
  if (!isChecked) checkExtent(source);
  return source;
}

/** Throws a SnapshotError for a definition in memory that is larger than a file of it may be. */
function checkExtent({ settings, contentTypes, components, roles }: JsonSource): void {
  for (const piece of [settings, ...contentTypes, ...components, roles]) {
    const excess = piece && excessOfValue(piece.value);
    if (excess) throw new SnapshotError([`${piece.place}: it ${excess}`]);
  }
}

/** The same for entries, which stand in a list. Throws a BrokenFile. */
async function* onceChecked(list: unknown[]): AsyncGenerator<unknown[]> {
  for await (const batch of once(list)) {
    for (const [i, entry] of batch.entries()) {
      const excess = excessOfValue(entry, 1);
      if (excess) throw new BrokenFile(`element ${i} ${excess}`);
    }
    yield batch;
  }
}

/** A list that is in memory, as the one batch of it. Throws a BrokenFile if it is none. */
export async function* once(list: unknown[]): AsyncGenerator<unknown[]> {
  if (!Array.isArray(list)) throw new BrokenFile('a list of entries is expected');
  yield list;
}

const foreignFile =
  'unexpected file: a snapshot holds snapshot.json, roles.json, content-types/, components/<category>/ and entries/';

/** Lists a folder and reads all but its entries. Files that no part of a snapshot is in are problems. */
export async function sourceOfFolder(folder: string, problems: Problems): Promise<JsonSource> {
  const source: JsonSource = {
    settings: null,
    contentTypes: [],
    components: [],
    roles: null,
    entries: new Map(),
    entriesPlace: (name) => `entries/${name}.json`,
  };
  const before = problems.count;
  let unpackedBytes = 0;
  let definitionBytes = 0;
  const { files, others } = await filesBelow(folder);
  refuseOthers(others);
  const isDefinition = (name: string) => name.startsWith('content-types/') || name.startsWith('components/');
  const definitionFiles = files.filter(isDefinition).length;
  if (definitionFiles > limits.types) {
    const message = `${definitionFiles} files of content types and components; the limit is ${limits.types}`;
    throw new SnapshotError([`${folder}: ${message}`]);
  }
  for (const name of files.sort()) {
    if (name.startsWith('uploads/')) source.uploads = join(folder, 'uploads');
    if (name.startsWith('uploads/') || /\.md$/i.test(name)) continue;
    const path = join(folder, name);
    const { size } = await stat(path);
    unpackedBytes += size;
    if (unpackedBytes > limits.unpackedBytes) {
      throw new SnapshotError([`${folder}: the files take more than ${limits.unpackedBytes} bytes`]);
    }
    const component = /^components\/([^/]+)\/([^/]+)\.json$/.exec(name);
    const entries = /^entries\/([^/]+)\.json$/.exec(name);
    if (entries) {
      source.entries.set(entries[1], { place: name, batches: () => elementsOf(path) });
    } else if (
      component ||
      name === 'snapshot.json' ||
      name === 'roles.json' ||
      /^content-types\/[^/]+\.json$/.test(name)
    ) {
      definitionBytes += size;
      if (definitionBytes > limits.definitionBytes) {
        throw new SnapshotError([
          `${folder}: the files beside entries/ take more than ${limits.definitionBytes} bytes`,
        ]);
      }
      const piece = await readPiece(path, name, size, problems);
      if (!piece) continue;
      if (component) source.components.push({ ...piece, uid: `${component[1]}.${component[2]}` });
      else if (name === 'snapshot.json') source.settings = piece;
      else if (name === 'roles.json') source.roles = piece;
      else source.contentTypes.push(piece);
    } else problems.tolerate('foreign-file', name, () => `${foreignFile}${suggestedFile(name)}`);
  }
  if (source.contentTypes.length === 0 && problems.count === before) {
    problems.add(folder, 'no content types: expected at least one file content-types/<singularName>.json');
  }
  return source;
}

/** What a file may have been meant to be called. */
function suggestedFile(name: string): string {
  const [folder, ...rest] = name.split('/');
  if (rest.length === 0) return didYouMean(name, ['snapshot.json', 'roles.json']);
  const nearest = nearestName(folder, ['content-types', 'components', 'entries']);
  if (nearest !== null) return ` (did you mean ${JSON.stringify([nearest, ...rest].join('/'))}?)`;
  return didYouMean(name, [name.replace(/\.[^./]+$/, '.json')]);
}

/** The entries of a file. Throws a BrokenFile that says line and column. */
async function* elementsOf(path: string): AsyncGenerator<unknown[]> {
  try {
    yield* arrayElements(wholeFile(path));
  } catch (error) {
    if (!(error instanceof BrokenFile) || error.offset === null) throw error;
    throw new BrokenFile(error.message, error.offset, await placeInFile(path, error.offset));
  }
}

/** A file that is read whole, parsed. Null after its problems have been noted. */
async function readPiece(path: string, name: string, size: number, problems: Problems): Promise<Piece | null> {
  if (size > limits.fileBytes) {
    problems.add(name, `the file is larger than ${limits.fileBytes} bytes`);
    return null;
  }
  const bytes = await readFile(path);
  if (bytes.length !== size) {
    problems.add(name, `${bytes.length} of its ${size} bytes could be read`);
    return null;
  }
  if (!isUtf8(bytes)) {
    problems.add(name, 'it is not UTF-8');
    return null;
  }
  const excess = excessOf(bytes);
  if (excess) {
    problems.add(name, `it ${excess.message}`);
    return null;
  }
  const text = bytes.toString().replace(/^\uFEFF/, '');
  const { value, faults } = readStrictJson(text);
  for (const { message, line, column } of faults) problems.add(`${name}:${line}:${column}`, message);
  return faults.length === 0 ? { place: name, value } : null;
}
