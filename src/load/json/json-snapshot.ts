/** Loads a JSON snapshot into a store. data/README.md describes the format. */
import { dialectFor, strapiMajorVersionOf } from '../../core/dialect.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean, nearestName } from '../../core/suggest.ts';
import { wrongAction } from '../../model/access/actions.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { type EntryType, isAdministration, localeType, roleType, type Schema } from '../../model/schema/schema.ts';
import { finishStore, storeBuilderFor } from '../build-store.ts';
import { EntryWriter, type RowHandle, storeSink } from '../entry-writer.ts';
import { addressesOf, isLeftOut, type LoadedSnapshot, type LoadOptions } from '../loaded.ts';
import { BrokenFile } from '../parse/json-file.ts';
import { withoutUnusedDates } from '../strapi/strapi-4.ts';
import { readDefinitions } from './definition-files.ts';
import { entryFileNames } from './entry-files.ts';
import { EntryVersions, readStrapiEntry } from './entry-version.ts';
import { type JsonSource, settingsLocation, singleBatch } from './json-source.ts';
import { References } from './references.ts';

export async function loadJsonSnapshot(
  source: JsonSource,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const { settings, roles, types } = readDefinitions(source, problems);
  // what refers to an unreadable type is no further mistake
  const isUnreadable = (uid: string) => source.unreadable.has(uid) || source.unreadable.has(uid.split('.').at(-1)!);
  const strapi = settings?.strapi;
  const strapiVersion = strapi?.version ?? null;
  const isVersion4 = strapi !== undefined && strapiMajorVersionOf(strapiVersion) === 4;
  const definitions = strapi ? types.filter(({ uid }) => !isAdministration(uid)) : types;
  const typed = isVersion4 ? definitions.map(withoutUnusedDates) : definitions;
  const schema = readSchema(typed, problems, { isUnreadable, needsInversedBy: strapi !== undefined });
  const isValid = problems.count === 0;
  // Strapi keeps permissions of types that were removed
  for (const role of strapi ? [] : roles) {
    checkPermissions(role, source.roles?.location ?? '', schema, problems, isUnreadable);
  }
  const locales: readonly Locale[] = settings?.locales ?? [{ code: settings?.defaultLocale ?? '' }];
  const codes = new Set(locales.map(({ code }) => code));
  if (settings && !strapi && !codes.has(settings.defaultLocale)) {
    problems.add(settingsLocation(source), `the default locale ${preview(settings.defaultLocale)} is not in "locales"`);
  }
  // invalid definitions would explain many mistakes of entries
  if (!isValid) problems.throwIfAny();

  const kind = strapi ? 'strapi' : 'json';
  const dialect = dialectFor(
    options.dialect ?? (strapi ? 'strapi' : 'document'),
    strapiVersion,
    options.database ?? strapi?.database,
    options.mysql ?? strapi?.mysql,
  );
  const builder = storeBuilderFor(schema, problems, dialect, options, { linksLocalizations: isVersion4 });
  const { defaultLocale } = settings!;
  const leavesOut = ({ uid }: EntryType) => isLeftOut(uid, options);
  const references = new References(builder, problems, strapi !== undefined, leavesOut);
  const versions = new EntryVersions(problems, defaultLocale, codes);
  const readVersion: EntryReader['readVersion'] = strapi
    ? (type, entry, at) => readStrapiEntry(type, entry, problems, at)
    : (type, entry, at) => versions.read(type, entry, at);
  const sink = { ...storeSink(builder), linksLocalizations: isVersion4, addReference: references.add.bind(references) };
  const entries = new EntryReader(references, new EntryWriter(sink, problems), problems, readVersion);
  // the entries of a Strapi hold its roles and locales
  if (!strapi) await readDefined(source, roles, locales, schema, entries);
  await readEntries(source, entryFileNames(schema.types.values(), strapi !== undefined), entries, problems, leavesOut);
  entries.references.connect(defaultLocale);
  const store = finishStore(builder, defaultLocale, problems, options);
  return {
    kind,
    tolerance: problems.tolerance,
    types,
    inferred: source.inferred ?? null,
    strapiVersion,
    dialect,
    store,
    addresses: addressesOf(options),
    roles,
    emailConfirmation: settings!.emailConfirmation ?? false,
    blockedUsers: entries.blockedUsers,
    uploadedFiles: source.uploads === undefined ? null : { kind: 'folder', path: source.uploads, names: null },
    warnings: problems.warnings,
  };
}

interface Locale {
  readonly code: string;
  readonly name?: string;
}

/** Reports permissions of a role for unknown types or actions, but not for types that cannot be read. */
export function checkPermissions(
  { type, permissions }: RoleDefinition,
  location: string,
  schema: Schema,
  problems: Problems,
  isUnreadable: (uid: string) => boolean = () => false,
): void {
  for (const action of permissions) {
    const message = wrongAction(action, schema);
    if (message === null || isUnreadable(action.slice(0, action.lastIndexOf('.')))) continue;
    problems.tolerate(
      'wrong-permission',
      `${location}, role ${type}`,
      () => `the permission ${preview(action)} ${message()}`,
    );
  }
}

/** Returns the entry of a role. */
export function roleEntry({ type, name }: RoleDefinition): { documentId: string; type: string; name: string } {
  return { documentId: type, type, name: name ?? type };
}

/** Reads the entries that follow from definitions: those of roles and locales, unless the snapshot has files of them. */
async function readDefined(
  source: JsonSource,
  roles: readonly RoleDefinition[],
  locales: readonly Locale[],
  schema: Schema,
  reader: EntryReader,
): Promise<void> {
  const read = async (uid: string, location: string, entries: unknown[]) => {
    const type = schema.type(uid);
    if (!source.entries.has(type.singularName)) await reader.read(type, location, () => singleBatch(entries));
  };
  await read(roleType, source.roles?.location ?? 'roles', roles.map(roleEntry));
  await read(localeType, `${settingsLocation(source)}, locales`, locales.map(localeEntry));
}

/** Returns the entry of a locale. */
export function localeEntry({ code, name }: Locale): { documentId: string; code: string; name: string } {
  return { documentId: code, code, name: name ?? code };
}

/** Reads the files of entries. `types` are those of their names. */
async function readEntries(
  source: JsonSource,
  types: ReadonlyMap<string, EntryType>,
  reader: EntryReader,
  problems: Problems,
  leavesOut: (type: EntryType) => boolean,
): Promise<void> {
  for (const [name, { location, batches }] of source.entries) {
    const type = types.get(name);
    if (type && leavesOut(type)) continue;
    if (type) {
      await reader.read(type, location, batches);
      continue;
    }
    const nearest = nearestName(name, types.keys());
    problems.add(location, `no content type has the singular name ${preview(name)}${didYouMean(name, types.keys())}`);
    // the misspelled name already explains the missing entries
    if (nearest !== null) reader.references.suppressMissing(types.get(nearest)!);
  }
  for (const [name, type] of types) {
    if (source.entries.has(name) || type.uid === roleType || type.uid === localeType) continue;
    reader.references.addEmptyType(type, source.entriesLocation(name));
  }
}

/** Reads the entries of all content types, one type at a time. */
class EntryReader {
  readonly references: References;
  readonly #problems: Problems;
  readonly #writer: EntryWriter<RowHandle>;
  readonly readVersion: EntryVersions['read'];

  constructor(
    references: References,
    writer: EntryWriter<RowHandle>,
    problems: Problems,
    readVersion: EntryVersions['read'],
  ) {
    this.references = references;
    this.#writer = writer;
    this.#problems = problems;
    this.readVersion = readVersion;
  }

  get blockedUsers(): ReadonlySet<string> {
    return this.#writer.blockedUsers;
  }

  async read(type: EntryType, location: string, batches: () => AsyncIterable<unknown[]>): Promise<void> {
    try {
      let position = 0;
      for await (const batch of batches()) {
        for (const entry of batch) this.#add(type, entry, location, position++);
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      this.#problems.add(location + error.location, error.message);
      // references to entries after the error are not mistakes
      this.references.suppressMissing(type);
    }
  }

  #add(type: EntryType, entry: unknown, file: string, position: number): void {
    const version = this.readVersion(type, entry, {
      unnamed: () => `${file}, entry [${position}]`,
      named: (documentId, label) => `${file}, entry ${documentId}${label}`,
    });
    if (!version) return;
    const { documentId, published, locale, values, location, label } = version;
    this.references.addEntry({ type, published, locale, location: file, label }, documentId, location);
    this.#writer.add(type, values, published, location);
  }
}
