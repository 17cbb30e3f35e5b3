/** Writes loaded content as a JSON snapshot (data/README.md), which a load reads as the same content. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { heapAllocator } from '../../core/memory/allocator.ts';
import { builtInTypes, isBuiltIn } from '../../load/definitions.ts';
import { imageContentOf } from '../../load/image/load-image.ts';
import { entryFileNames, fileNameOf } from '../../load/json/entry-files.ts';
import { localeEntry, roleEntry } from '../../load/json/json-snapshot.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import {
  type Attribute,
  type EntryType,
  isScalar,
  localeType,
  roleType,
  type Schema,
  targetsAdministrators,
  userType,
} from '../../model/schema/schema.ts';
import { creatorNames, type SnapshotType } from '../../model/schema/type-definition.ts';
import { adjacenciesOf } from '../../store/collection.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { liveRowsInLoadOrder } from '../../store/writer/copy/copy-rows.ts';
import { storedLinksInBulk } from '../batch/stored-links.ts';
import { compactStore } from '../compact/compact-store.ts';
import { WrittenEntries, type WrittenValues } from '../entries/written-entries.ts';

/** What was written. */
export interface WrittenSnapshot {
  readonly entries: number;
  /** Types with entries. */
  readonly types: number;
}

/** Writes content to a folder, which exists and is empty. Uploaded files are not part of it. */
export async function writeJsonSnapshot(folder: string, loaded: LoadedSnapshot): Promise<WrittenSnapshot> {
  // links are read in bulk from a store without changes
  const store = await withoutChanges(loaded);
  const written = new WrittenEntries(store, loaded, storedLinksInBulk(store));
  const isStrapi = loaded.kind === 'strapi';
  const files = new SnapshotFiles(folder);
  const counts = { entries: 0, types: 0 };
  const locales = rowsOf(store, written, localeType);
  const defined = isStrapi ? new Set<string>() : definedTypes(store, written, loaded);
  for (const [name, type] of entryFileNames(store.schema.types.values(), isStrapi)) {
    const rows = liveRowsInLoadOrder(segmentOf(store, type.uid));
    if (rows.length === 0) continue;
    if (type.uid !== roleType && type.uid !== localeType) {
      counts.entries += rows.length;
      counts.types++;
    }
    if (!defined.has(type.uid)) await files.write(`entries/${name}.json`, listOf(written, type, rows));
  }
  if (loaded.roles.length > 0) await files.writeJson('roles.json', loaded.roles);
  const order = isStrapi ? await writeStrapiTypes(loaded, files) : await writeTypes(loaded, files);
  await files.writeJson('snapshot.json', settingsOf(loaded, store, locales, order));
  return counts;
}

async function withoutChanges(loaded: LoadedSnapshot): Promise<Store> {
  const { store } = loaded;
  const isPatched = store.collections.some((collection) =>
    adjacenciesOf(collection).some(([, { patch }]) => patch !== null),
  );
  const isChanged = isPatched || store.segments.some(({ delta, live }) => delta !== null || live !== null);
  return isChanged ? compactStore(store, imageContentOf(loaded).facts, heapAllocator) : store;
}

function rowsOf(store: Store, written: WrittenEntries, uid: string): WrittenValues[] {
  const type = store.schema.types.get(uid);
  if (!type) return [];
  return Array.from(liveRowsInLoadOrder(segmentOf(store, uid)), (row) => written.snapshotEntry(type, row));
}

/** Returns the types of a JSON snapshot whose entries follow from its settings and roles. */
function definedTypes(store: Store, written: WrittenEntries, { roles }: LoadedSnapshot): Set<string> {
  const locales = rowsOf(store, written, localeType);
  const given = new Map<string, object[]>([
    [roleType, roles.map(roleEntry)],
    [localeType, locales.map((locale) => localeEntry(locale as never))],
  ]);
  const isDerived = ([uid, entries]: [string, object[]]) => {
    const stored = rowsOf(store, written, uid).map((row) => withoutNulls(row));
    return JSON.stringify(stored) === JSON.stringify(entries.map((entry, i) => withoutNulls({ id: i + 1, ...entry })));
  };
  return new Set([...given].filter(isDerived).map(([uid]) => uid));
}

/** Returns the values that are given, in the order of their names. */
function withoutNulls(values: object): object {
  const isGiven = ([, value]: [string, unknown]) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(values)
      .filter(isGiven)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function* listOf(written: WrittenEntries, type: EntryType, rows: Uint32Array): Generator<string> {
  let separator = '[\n';
  for (const row of rows) {
    yield separator + JSON.stringify(written.snapshotEntry(type, row));
    separator = ',\n';
  }
  yield '\n]\n';
}

function settingsOf(
  { kind, inferred, emailConfirmation, strapiVersion, dialect }: LoadedSnapshot,
  store: Store,
  locales: readonly WrittenValues[],
  types: readonly string[] | null,
): object {
  const { defaultLocale } = store;
  const { database, mysql } = dialect;
  const listed = locales.map(({ code, name }) => ({ code, name }));
  return {
    defaultLocale,
    ...(kind === 'json' && listed.length > 0 && { locales: listed }),
    ...(emailConfirmation && { emailConfirmation }),
    ...(inferred && { inferred }),
    ...(kind === 'strapi' && {
      strapi: { version: strapiVersion, ...(database !== 'postgres' && { database }), ...(mysql && { mysql }) },
    }),
    ...(types && { types }),
  };
}

/** Writes the definitions of a Strapi. Returns the uids in order. */
async function writeStrapiTypes({ types }: LoadedSnapshot, files: SnapshotFiles): Promise<string[]> {
  for (const type of types) {
    const name = fileNameOf(type.uid);
    const path = type.component ? `components/${categoryOf(name)}.json` : `content-types/${name}.json`;
    await files.writeJson(path, writtenDefinition(type));
  }
  return types.map(({ uid }) => uid);
}

/** Writes the definitions of a JSON snapshot. Returns the uids in order, or null if it is that of the files. */
async function writeTypes({ types, inferred }: LoadedSnapshot, files: SnapshotFiles): Promise<string[] | null> {
  const builtIn = new Map(builtInTypes(new Map(), inferred === null).map((type) => [type.uid, type]));
  const paths = new Map<string, string>();
  for (const type of types) {
    const { uid, component, ...definition } = writtenDefinition(type) as SnapshotType;
    const singularName = type.info?.singularName ?? uid.split('.').at(-1)!;
    const path = type.component
      ? `components/${categoryOf(uid)}.json`
      : `content-types/${encodeURIComponent(singularName)}.json`;
    if (isBuiltIn(uid)) {
      const known = builtIn.get(uid)!.attributes;
      const isAdded = ([name, attribute]: [string, unknown]) =>
        JSON.stringify(attribute) !== JSON.stringify(known[name]);
      const attributes = Object.fromEntries(Object.entries(type.attributes).filter(isAdded));
      if (Object.keys(attributes).length > 0) await files.writeJson(path, { uid, info: type.info, attributes });
      continue;
    }
    paths.set(uid, path);
    const isDefault = type.component || uid === `api::${singularName}.${singularName}`;
    await files.writeJson(path, isDefault ? definition : { uid, ...definition });
  }
  const uids = types.map(({ uid }) => uid);
  const sorted = [...paths].sort(([, a], [, b]) => (a < b ? -1 : 1));
  const isComponent = ([, path]: [string, string]) => path.startsWith('components/');
  const read = [...sorted.filter((each) => !isComponent(each)), ...sorted.filter(isComponent)].map(([uid]) => uid);
  const own = uids.filter((uid) => paths.has(uid));
  return own.every((uid, i) => uid === read[i]) ? null : uids;
}

/** Returns the path of the file of a component, from `components/` on. */
function categoryOf(uid: string): string {
  const dot = uid.indexOf('.');
  return dot < 0 ? `none/${uid}` : `${uid.slice(0, dot)}/${uid.slice(dot + 1)}`;
}

/** Returns the definition of a type as its file holds it. */
function writtenDefinition(type: SnapshotType & { location?: string; $schema?: string }): object {
  const { location, $schema, component, ...definition } = type;
  return definition;
}

/** Bytes that are written at once. */
const pieceBytes = 2 ** 20;

/** Writes the files of a folder, in pieces. */
class SnapshotFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  writeJson(name: string, value: object): Promise<void> {
    return this.write(name, [`${JSON.stringify(value, null, 2)}\n`]);
  }

  async write(name: string, texts: Iterable<string>): Promise<void> {
    const path = join(this.#folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, inPieces(texts));
  }
}

/** Joins texts to pieces, so that neither many small ones nor a large whole is written at once. */
function* inPieces(texts: Iterable<string>): Generator<string> {
  let parts: string[] = [];
  let length = 0;
  for (const text of texts) {
    parts.push(text);
    length += text.length;
    if (length < pieceBytes) continue;
    yield parts.join('');
    parts = [];
    length = 0;
  }
  yield parts.join('');
}

/** What a JSON snapshot cannot hold, because it is not in memory or belongs to no entry. */
export interface LeftOut {
  /** Private attributes of types with entries, such as `api::author.author.notes`. */
  readonly attributes: readonly string[];
  readonly users: number;
  readonly apiTokens: number;
}

/** Returns what an export of content leaves out. */
export function leftOut({ store, apiTokens = [] }: LoadedSnapshot): LeftOut {
  const attributes = Array.from(store.schema.types.values()).flatMap((type) => {
    if (liveRowsInLoadOrder(segmentOf(store, type.uid)).length === 0) return [];
    return Array.from(type.attributes.values()).flatMap((attribute) => {
      return isLeftOut(store.schema, attribute) ? [`${type.uid}.${attribute.name}`] : [];
    });
  });
  const users = store.schema.types.has(userType) ? liveRowsInLoadOrder(segmentOf(store, userType)).length : 0;
  return { attributes, users, apiTokens: apiTokens.length };
}

function isLeftOut(schema: Schema, attribute: Attribute): boolean {
  const { name } = attribute;
  // every type has them, and most without values
  if (!attribute.private || creatorNames.has(name) || name === 'locale' || name === 'localizations') return false;
  if (isScalar(attribute)) return true;
  return attribute.owner && !targetsAdministrators(attribute) && !schema.storesLinks(attribute);
}
