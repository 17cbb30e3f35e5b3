/** Reads the parts of a JSON snapshot from a folder or from an object in memory. */
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean, nearestName } from '../../core/suggest.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import type { ComponentFile, ContentTypeFile, SettingsFile } from '../definitions.ts';
import { lineAndColumnAt, listFiles, readFileChunks, rejectSpecialFiles } from '../files.ts';
import { findLimitViolationInValue, limits } from '../limits.ts';
import { arrayElements } from '../parse/elements.ts';
import { BrokenFile, parseFile } from '../parse/json-file.ts';

/**
 * A JSON snapshot in memory. `entries` are keyed by the singular name of their type. Only `contentTypes` is required.
 */
export interface JsonSnapshot {
  settings?: SettingsFile;
  contentTypes: ContentTypeFile[];
  components?: Record<string, ComponentFile>;
  entries?: Record<string, Record<string, unknown>[]>;
  roles?: RoleDefinition[];
}

/** A part of a snapshot before validation, with its location for messages. */
export interface RawPart {
  location: string;
  value: unknown;
}

export interface JsonSource {
  settings: RawPart | null;
  contentTypes: RawPart[];
  components: (RawPart & { uid: string })[];
  /** Definitions that cannot be read: singular names of content types and uids of components. */
  unreadable: Set<string>;
  roles: RawPart | null;
  /** By singular name. */
  entries: Map<string, { location: string; batches: () => AsyncIterable<unknown[]> }>;
  /** Returns the location of the entries of a type, by its singular name. */
  entriesLocation: (singularName: string) => string;
  /**
   * Descriptions of inferred types. A snapshot with inferred types has no drafts, locales or users, so entries may have
   * an attribute `status`, and a collection may be called `users`.
   */
  inferred?: readonly string[];
  /** The folder of uploaded files, if there is one. */
  uploads?: string;
}

/** Returns the location of the settings, which a snapshot need not have. */
export function settingsLocation({ settings }: JsonSource): string {
  return settings?.location ?? 'snapshot.json';
}

const snapshotKeys = ['settings', 'contentTypes', 'components', 'entries', 'roles'];

/** Returns the parts of a snapshot in memory. `file` is a prefix for locations if the object comes from a file. */
export function sourceOfObject(snapshot: JsonSnapshot, file = ''): JsonSource {
  const { settings, contentTypes, components = {}, entries = {}, roles } = snapshot;
  if (!Array.isArray(contentTypes)) {
    throw new SnapshotError([`${file}contentTypes: expected a list of content types, not ${preview(contentTypes)}`]);
  }
  for (const key of Object.keys(snapshot)) {
    if (snapshotKeys.includes(key) || key === '$schema') continue;
    const suggestion = didYouMean(key, snapshotKeys);
    throw new SnapshotError([
      `${file}${key}: unknown key${suggestion}; the keys of a snapshot are ${snapshotKeys.join(', ')}`,
    ]);
  }
  for (const [location, value] of Object.entries({ components, entries })) {
    if (isPlainObject(value)) continue;
    const keys = location === 'components' ? 'uid' : 'singular name';
    throw new SnapshotError([`${file}${location}: expected an object, keyed by ${keys}`]);
  }
  // files are checked as text
  const isChecked = file !== '';
  const source: JsonSource = {
    settings: settings ? { location: `${file}settings`, value: settings } : null,
    contentTypes: contentTypes.map((value, i) => ({
      location: `${file}contentTypes ${value?.info?.singularName ?? `[${i}]`}`,
      value,
    })),
    components: Object.entries(components).map(([uid, value]) => ({
      location: `${file}components ${uid}`,
      uid,
      value,
    })),
    unreadable: new Set(),
    roles: roles ? { location: `${file}roles`, value: roles } : null,
    entriesLocation: (name) => `${file}entries ${name}`,
    entries: new Map(
      Object.entries(entries).map(([name, list]) => [
        name,
        { location: `${file}entries ${name}`, batches: () => (isChecked ? singleBatch(list) : checkedBatch(list)) },
      ]),
    ),
  };
  if (!isChecked) checkLimits(source);
  return source;
}

/** Throws a SnapshotError if a definition in memory exceeds the limits for files. */
function checkLimits({ settings, contentTypes, components, roles }: JsonSource): void {
  for (const part of [settings, ...contentTypes, ...components, roles]) {
    const violation = part && findLimitViolationInValue(part.value);
    if (violation) throw new SnapshotError([`${part.location}: it ${violation}`]);
  }
}

/** Yields a list of entries as one batch. Throws a BrokenFile if an entry exceeds the limits for files. */
async function* checkedBatch(list: unknown[]): AsyncGenerator<unknown[]> {
  for await (const batch of singleBatch(list)) {
    for (const [i, entry] of batch.entries()) {
      const violation = findLimitViolationInValue(entry, 1);
      if (violation) throw new BrokenFile(`element ${i} ${violation}`);
    }
    yield batch;
  }
}

/** Yields a list in memory as one batch. Throws a BrokenFile for other values. */
export async function* singleBatch(list: unknown[]): AsyncGenerator<unknown[]> {
  if (!Array.isArray(list)) throw new BrokenFile('expected a list of entries');
  yield list;
}

const foreignFile =
  'unexpected file: a snapshot holds snapshot.json, roles.json, content-types/, components/<category>/ and entries/';

const noContent =
  'the folder holds nothing to serve. It may be a Strapi project (package.json with the dependency "@strapi/strapi"), ' +
  'an unpacked Strapi export (schemas/*.jsonl), or a JSON snapshot (content-types/<singularName>.json). ' +
  '"lectern init" writes a small JSON snapshot to start from';

/** Lists a folder and reads all files except the entries. Reports files that do not belong to a snapshot. */
export async function sourceOfFolder(folder: string, problems: Problems): Promise<JsonSource> {
  const source: JsonSource = {
    settings: null,
    contentTypes: [],
    components: [],
    unreadable: new Set(),
    roles: null,
    entries: new Map(),
    entriesLocation: (name) => `entries/${name}.json`,
  };
  const before = problems.count;
  let unpackedBytes = 0;
  let definitionBytes = 0;
  const { files, specialFiles } = await listFiles(folder);
  rejectSpecialFiles(specialFiles);
  const isPart = (name: string) => /^(snapshot|roles)\.json$|^(content-types|components|entries)\//.test(name);
  if (!files.some(isPart)) throw new SnapshotError([`${folder}: ${noContent}`]);
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
      source.entries.set(entries[1], { location: name, batches: () => elementsOf(path) });
    } else if (
      component ||
      name === 'snapshot.json' ||
      name === 'roles.json' ||
      /^content-types\/[^/]+\.json$/.test(name)
    ) {
      definitionBytes += size;
      if (definitionBytes > limits.definitionBytes) {
        throw new SnapshotError([
          `${folder}: the files outside entries/ take more than ${limits.definitionBytes} bytes`,
        ]);
      }
      const part = await readPart(path, name, size, problems);
      if (!part) {
        source.unreadable.add(component ? `${component[1]}.${component[2]}` : basename(name, '.json'));
      } else if (component) source.components.push({ ...part, uid: `${component[1]}.${component[2]}` });
      else if (name === 'snapshot.json') source.settings = part;
      else if (name === 'roles.json') source.roles = part;
      else source.contentTypes.push(part);
    } else problems.tolerate('foreign-file', name, () => `${foreignFile}${suggestedFile(name)}`);
  }
  if (source.contentTypes.length === 0 && problems.count === before) {
    problems.add(folder, 'no content types: expected at least one file content-types/<singularName>.json');
  }
  return source;
}

/**
 * Whether the settings of a folder say that its content is that of a Strapi. Mistakes in them are found later. Rejects with a
 * system error if they cannot be read.
 */
export async function holdsStrapi(folder: string): Promise<boolean> {
  const path = join(folder, 'snapshot.json');
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!found?.isFile() || found.size > limits.fileBytes) return false;
  const bytes = await readFile(path);
  try {
    const settings: unknown = JSON.parse(bytes.toString());
    return isPlainObject(settings) && isPlainObject(settings.strapi);
  } catch {
    return false;
  }
}

/** Suggests the correct name of a misnamed file. */
function suggestedFile(name: string): string {
  const [folder, ...rest] = name.split('/');
  if (rest.length === 0) return didYouMean(name, ['snapshot.json', 'roles.json']);
  const nearest = nearestName(folder, ['content-types', 'components', 'entries']);
  if (nearest !== null) return ` (did you mean ${JSON.stringify([nearest, ...rest].join('/'))}?)`;
  return didYouMean(name, [name.replace(/\.[^./]+$/, '.json')]);
}

/** Yields the entries of a file. Throws a BrokenFile with line and column. */
async function* elementsOf(path: string): AsyncGenerator<unknown[]> {
  try {
    yield* arrayElements(readFileChunks(path));
  } catch (error) {
    if (!(error instanceof BrokenFile) || error.offset === null) throw error;
    throw new BrokenFile(error.message, error.offset, await lineAndColumnAt(path, error.offset));
  }
}

/** Reads and parses a definition file. Returns null and reports the problems if it is invalid. */
async function readPart(path: string, name: string, size: number, problems: Problems): Promise<RawPart | null> {
  if (size > limits.fileBytes) {
    problems.add(name, `the file is larger than ${limits.fileBytes} bytes`);
    return null;
  }
  const bytes = await readFile(path);
  if (bytes.length !== size) {
    problems.add(name, `only ${bytes.length} of ${size} bytes could be read`);
    return null;
  }
  const { count } = problems;
  const value = parseFile(bytes, name, problems);
  return problems.count === count ? { location: name, value } : null;
}
