/** Loads a JSON snapshot into a store. data/README.md describes the format. */
import { dialectFor } from '../../core/dialect.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean, nearestName } from '../../core/suggest.ts';
import { wrongAction } from '../../model/access/actions.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { administratorType, type EntryType, localeType, roleType, type Schema } from '../../model/schema/schema.ts';
import type { StoreBuilder } from '../../store/writer/store-builder.ts';
import { finishStore, storeBuilderFor } from '../build-store.ts';
import { EntryWriter, type RowHandle, storeSink } from '../entry-writer.ts';
import { addressesOf, type LoadedSnapshot, type LoadOptions } from '../loaded.ts';
import { BrokenFile } from '../parse/json-file.ts';
import { readDefinitions } from './definition-files.ts';
import { EntryVersions } from './entry-version.ts';
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
  const schema = readSchema(types, problems, { isUnreadable });
  const isValid = problems.count === 0;
  for (const role of roles) checkPermissions(role, source.roles?.location ?? '', schema, problems, isUnreadable);
  const locales: readonly Locale[] = settings?.locales ?? [{ code: settings?.defaultLocale ?? '' }];
  const codes = new Set(locales.map(({ code }) => code));
  if (settings && !codes.has(settings.defaultLocale)) {
    problems.add(settingsLocation(source), `the default locale ${preview(settings.defaultLocale)} is not in "locales"`);
  }
  // invalid definitions would explain many mistakes of entries
  if (!isValid) problems.throwIfAny();

  const dialect = dialectFor(options.dialect ?? 'document', null, options.database, options.mysql);
  const builder = storeBuilderFor(schema, problems, dialect, options);
  const { defaultLocale } = settings!;
  const entries = new EntryReader(builder, problems, defaultLocale, codes);
  await readEntries(source, roles, locales, schema, entries, problems);
  entries.references.connect(defaultLocale);
  const store = finishStore(builder, defaultLocale, problems, options);
  return {
    kind: 'json',
    tolerance: problems.tolerance,
    types,
    inferred: source.inferred ?? null,
    strapiVersion: null,
    dialect,
    store,
    addresses: addressesOf(options),
    roles,
    emailConfirmation: false,
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

/** Reads the entries of all types. Those of roles and locales come from the definitions. */
async function readEntries(
  source: JsonSource,
  roles: readonly RoleDefinition[],
  locales: readonly Locale[],
  schema: Schema,
  reader: EntryReader,
  problems: Problems,
): Promise<void> {
  await reader.read(schema.type(roleType), source.roles?.location ?? 'roles', () => singleBatch(roles.map(roleEntry)));
  const localeEntries = locales.map(({ code, name }) => ({ documentId: code, code, name: name ?? code }));
  const localesLocation = `${settingsLocation(source)}, locales`;
  await reader.read(schema.type(localeType), localesLocation, () => singleBatch(localeEntries));
  const types = new Map(
    Array.from(schema.types.values())
      .filter(({ kind, uid }) => kind !== 'component' && uid !== administratorType)
      .map((type) => [type.singularName, type]),
  );
  const hasEntriesFile = (uid: string) => uid !== roleType && uid !== localeType;
  for (const [name, { location, batches }] of source.entries) {
    const type = types.get(name);
    if (type && hasEntriesFile(type.uid)) {
      await reader.read(type, location, batches);
      continue;
    }
    const nearest = nearestName(name, types.keys());
    problems.add(location, `no content type has the singular name ${preview(name)}${didYouMean(name, types.keys())}`);
    // the misspelled name already explains the missing entries
    if (nearest !== null) reader.references.suppressMissing(types.get(nearest)!);
  }
  for (const [name, type] of types) {
    if (source.entries.has(name) || !hasEntriesFile(type.uid)) continue;
    reader.references.addEmptyType(type, source.entriesLocation(name));
  }
}

/** Reads the entries of all content types, one type at a time. */
class EntryReader {
  readonly references: References;
  readonly #problems: Problems;
  readonly #versions: EntryVersions;
  readonly #writer: EntryWriter<RowHandle>;

  constructor(builder: StoreBuilder, problems: Problems, defaultLocale: string, locales: ReadonlySet<string>) {
    this.#problems = problems;
    this.#versions = new EntryVersions(problems, defaultLocale, locales);
    const references = new References(builder, problems);
    this.references = references;
    const sink = { ...storeSink(builder), addReference: references.add.bind(references) };
    this.#writer = new EntryWriter(sink, problems);
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
    const version = this.#versions.read(type, entry, {
      unnamed: () => `${file}, entry [${position}]`,
      named: (documentId, label) => `${file}, entry ${documentId}${label}`,
    });
    if (!version) return;
    const { documentId, published, locale, values, location, label } = version;
    this.references.addEntry({ type, published, locale, location: file, label }, documentId, location);
    this.#writer.add(type, values, published, location);
  }
}
