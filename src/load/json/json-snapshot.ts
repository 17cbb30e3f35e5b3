/** Loads a JSON snapshot into a store. data/README.md describes the format. */
import type { z } from 'zod';
import { wrongAction } from '../../access/actions.ts';
import type { RoleDefinition } from '../../access/definitions.ts';
import { describeProblem } from '../../base/describe-problem.ts';
import { dialectFor } from '../../base/dialect.ts';
import { type Problems, preview } from '../../base/problems.ts';
import { didYouMean, nearestName } from '../../base/suggest.ts';
import { mediaRewrites } from '../../build/media-urls.ts';
import { StoreBuilder } from '../../build/store-builder.ts';
import { reservedInComponents, reservedInTypes, systemNames } from '../../model/names.ts';
import { readSchema } from '../../model/read-schema.ts';
import { administratorType, type EntryType, localeType, roleType, type Schema } from '../../model/schema.ts';
import type { TypeDefinition } from '../../model/type-definition.ts';
import { BrokenFile } from '../broken-file.ts';
import { checkContent } from '../check-content.ts';
import { checkDefinitionLimits } from '../definition-limits.ts';
import {
  attributeKeys,
  builtInTypes,
  componentFile,
  contentTypeFile,
  isBuiltIn,
  rolesFile,
  rolesObject,
  settingsFile,
} from '../definitions.ts';
import { EntryWriter } from '../entry-writer.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { References } from '../references.ts';
import { type JsonSource, type RawPart, singleBatch } from './json-source.ts';

export async function loadJsonSnapshot(
  source: JsonSource,
  problems: Problems,
  { dialect: dialectName = 'document', mediaUrl, allocator }: LoadOptions,
): Promise<LoadedSnapshot> {
  const settings = check(settingsFile, source.settings ?? { location: 'snapshot.json', value: {} }, problems);
  const roles = (source.roles && rolesOf(source.roles, problems)) ?? [];
  const definitions = definitionsOf(source, problems);
  // an unreadable type would cause further problems wherever another type names it
  problems.throwIfAny();
  checkDefinitionLimits(definitions, problems);
  const schema = readSchema(definitions, problems);
  problems.throwIfAny();

  checkPermissions(roles, source.roles?.location ?? '', schema, problems);
  const dialect = dialectFor(dialectName, null);
  const builder = new StoreBuilder(schema, problems, {
    derived: dialect.derived,
    allocator,
    mediaRewrites: mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl),
  });
  const locales = new Set(settings!.locales?.map(({ code }) => code) ?? [settings!.defaultLocale]);
  if (!locales.has(settings!.defaultLocale)) {
    problems.add(
      source.settings!.location,
      `the default locale ${preview(settings!.defaultLocale)} is not in "locales"`,
    );
  }
  const entries = new EntryReader(builder, problems, settings!.defaultLocale, locales);
  const roleEntries = roles.map(({ type, name }) => ({ documentId: type, type, name: name ?? type }));
  await entries.read(schema.type(roleType), source.roles?.location ?? 'roles', () => singleBatch(roleEntries));
  const localeEntries = Array.from(settings!.locales ?? [{ code: settings!.defaultLocale }], ({ code, name }) => ({
    documentId: code,
    code,
    name: name ?? code,
  }));
  const localesLocation = `${source.settings?.location ?? 'snapshot.json'}, locales`;
  await entries.read(schema.type(localeType), localesLocation, () => singleBatch(localeEntries));
  const contentTypes = Array.from(schema.types.values()).filter(
    ({ kind, uid }) => kind !== 'component' && uid !== administratorType,
  );
  const types = new Map(contentTypes.map((type) => [type.singularName, type]));
  for (const [name, { location, batches }] of source.entries) {
    const type = types.get(name);
    if (!type || type.uid === roleType || type.uid === localeType) {
      const nearest = nearestName(name, types.keys());
      problems.add(location, `no content type has the singular name ${preview(name)}${didYouMean(name, types.keys())}`);
      // the misspelled name already explains the missing entries
      if (nearest !== null) entries.references.suppressMissing(types.get(nearest)!);
    } else await entries.read(type, location, batches);
  }
  for (const [name, type] of types) {
    if (source.entries.has(name) || type.uid === roleType || type.uid === localeType) continue;
    entries.references.addEmptyType(type, source.entriesLocation(name));
  }
  entries.references.connect(settings!.defaultLocale);
  problems.throwIfAny();
  const store = builder.finish(settings!.defaultLocale);
  checkContent(store, problems);
  problems.throwIfAny();
  return {
    kind: 'json',
    types: definitions,
    inferred: source.inferred ?? null,
    strapiVersion: null,
    dialect,
    store,
    roles,
    emailConfirmation: false,
    blockedUsers: entries.blockedUsers,
    uploadedFiles: source.uploads === undefined ? null : { kind: 'folder', path: source.uploads, names: null },
    warnings: problems.warnings,
  };
}

function rolesOf(part: RawPart, problems: Problems): RoleDefinition[] | null {
  const { value } = part;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (check(rolesObject, part, problems)?.roles ?? null) : check(rolesFile, part, problems);
}

/** Validates a part of the snapshot. Returns null and reports the problems if it is invalid. */
function check<T extends z.ZodType>(shape: T, { location, value }: RawPart, problems: Problems): z.output<T> | null {
  // zod would drop it silently
  const { attributes } = (value ?? {}) as { attributes?: unknown };
  if (typeof attributes === 'object' && attributes !== null && Object.hasOwn(attributes, '__proto__')) {
    problems.add(`${location}, attribute __proto__`, 'the name is not allowed, because JavaScript reserves it');
  }
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    problems.add(location, describeProblem(issue, value, shape));
  }
  return null;
}

/** Names of built-in routes. Content types cannot use them. */
const reservedRoutes = new Set(['upload', 'users', 'i18n', 'users-permissions', 'content-type-builder']);

function definitionsOf(source: JsonSource, problems: Problems): TypeDefinition[] {
  const definitions: TypeDefinition[] = [];
  const added = new Map<string, TypeDefinition>();
  const names = new Map<string, string>();
  for (const part of source.contentTypes) {
    const file = check(contentTypeFile, part, problems);
    if (!file) continue;
    const name = file.info?.singularName;
    const uid = file.uid ?? (name ? `api::${name}.${name}` : '');
    if (!uid) problems.add(part.location, 'info.singularName is missing');
    checkAttributes(file.attributes, source.inferred ? systemNames : reservedInTypes, part.location, problems);
    const definition = { ...file, uid, location: part.location, component: false };
    if (isBuiltIn(uid)) added.set(uid, definition);
    else {
      definitions.push(definition);
      for (const key of [file.info?.singularName, file.info?.pluralName]) {
        if (key === undefined) continue;
        if (reservedRoutes.has(key.toLowerCase()) && !(source.inferred && key === 'users'))
          problems.add(part.location, `the name ${preview(key)} is reserved for a built-in route`);
        if (names.has(key)) problems.add(part.location, `the name ${preview(key)} is taken by ${names.get(key)}`);
        names.set(key, part.location);
      }
    }
  }
  for (const part of source.components) {
    const file = check(componentFile, part, problems);
    if (file) checkAttributes(file.attributes, reservedInComponents, part.location, problems);
    if (file) definitions.push({ ...file, uid: part.uid, location: part.location, component: true });
  }
  return [...builtInTypes(added, source.inferred === undefined), ...definitions];
}

/** Reports reserved names and unknown keys. A misspelled `private` would expose the attribute. */
function checkAttributes(
  attributes: Record<string, object>,
  reserved: ReadonlySet<string>,
  location: string,
  problems: Problems,
): void {
  for (const [name, definition] of Object.entries(attributes)) {
    if (reserved.has(name)) {
      problems.add(
        `${location}, attribute ${name}`,
        'the name is reserved for an attribute of every entry or component',
      );
    }
    for (const key of Object.keys(definition ?? {})) {
      if (attributeKeys.has(key)) continue;
      problems.add(`${location}, attribute ${name}`, `unknown key ${preview(key)}${didYouMean(key, attributeKeys)}`);
    }
  }
}

/** Reads the entries of all content types, one type at a time. */
class EntryReader {
  readonly references: References;
  readonly #problems: Problems;
  readonly #defaultLocale: string;
  readonly #locales: ReadonlySet<string>;
  readonly #writer: EntryWriter;

  constructor(builder: StoreBuilder, problems: Problems, defaultLocale: string, locales: ReadonlySet<string>) {
    this.#problems = problems;
    this.#defaultLocale = defaultLocale;
    this.#locales = locales;
    this.references = new References(builder, problems);
    this.#writer = new EntryWriter(builder, problems, (...reference) => this.references.add(...reference));
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

  #add(type: EntryType, value: unknown, file: string, position: number): void {
    const problems = this.#problems;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return problems.add(`${file}, entry [${position}]`, `expected an object, not ${preview(value)}`);
    }
    const entry = value as Record<string, unknown>;
    const { documentId, locale } = entry;
    // inferred types may have an attribute of this name
    const status = type.attributes.has('status') ? undefined : entry.status;
    if (typeof documentId !== 'string' || documentId === '') {
      const message = `"documentId" must be a non-empty string, not ${preview(documentId)}`;
      return problems.add(`${file}, entry [${position}]`, message);
    }
    const label = labelOf(locale, status);
    const location = `${file}, entry ${documentId}${label}`;
    const published = this.#isPublished(type, status, entry, location);
    const rowLocale = this.#localeOf(type, locale, location);
    const publishedAt = entry.publishedAt ?? (published ? entry.createdAt : undefined);
    const isComplete = publishedAt === (entry.publishedAt ?? undefined) && rowLocale === (locale ?? null);
    const values = isComplete ? entry : { ...entry, publishedAt, locale: rowLocale };
    this.references.addEntry({ type, published, locale: rowLocale, location: file, label }, documentId, location);
    this.#writer.add(type, values, published, location);
  }

  #isPublished(type: EntryType, status: unknown, values: Record<string, unknown>, location: string): boolean {
    if (status === undefined) return true;
    if (!type.draftAndPublish) this.#problems.add(location, '"status" needs a type with draftAndPublish');
    else if (status !== 'draft' && status !== 'published') {
      this.#problems.add(location, `"status" must be "draft" or "published", not ${preview(status)}`);
    } else if (status === 'draft' && (values.publishedAt ?? null) !== null) {
      this.#problems.add(location, 'a draft cannot have "publishedAt"');
    }
    return status !== 'draft';
  }

  #localeOf(type: EntryType, locale: unknown, location: string): string | null {
    if (!type.localized) {
      if (locale !== undefined && locale !== null) this.#problems.add(location, '"locale" needs a localized type');
      return null;
    }
    if (locale === undefined) return this.#defaultLocale;
    if (this.#locales.has(locale as string)) return locale as string;
    this.#problems.add(location, `"locale" must be one of ${[...this.#locales].join(', ')}, not ${preview(locale)}`);
    return this.#defaultLocale;
  }
}

/** Returns the locale and status of an entry, as a suffix to its documentId in messages. */
function labelOf(locale: unknown, status: unknown): string {
  const hasStatus = typeof status === 'string';
  if (typeof locale !== 'string') return hasStatus ? ` (${status})` : '';
  return hasStatus ? ` (${locale}, ${status})` : ` (${locale})`;
}

/** Reports permissions for unknown types or actions. */
function checkPermissions(
  roles: readonly RoleDefinition[],
  location: string,
  schema: Schema,
  problems: Problems,
): void {
  for (const { type, permissions } of roles) {
    for (const action of permissions) {
      const message = wrongAction(action, schema);
      if (message === null) continue;
      problems.tolerate(
        'wrong-permission',
        `${location}, role ${type}`,
        () => `the permission ${preview(action)} ${message()}`,
      );
    }
  }
}
