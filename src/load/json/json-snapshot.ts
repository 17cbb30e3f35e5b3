/** Loads a JSON snapshot (data/README.md describes it) into a store. */
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
import { readSchema, type TypeDefinition } from '../../model/read-schema.ts';
import { administratorType, type EntryType, localeType, roleType, type Schema } from '../../model/schema.ts';
import { BrokenFile } from '../broken-file.ts';
import { checkContent } from '../check-content.ts';
import { checkExtentOfTypes } from '../definition-limits.ts';
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
import { type JsonSource, once, type Piece } from './json-source.ts';

export async function loadJsonSnapshot(
  source: JsonSource,
  problems: Problems,
  { dialect: dialectName = 'document', mediaUrl, allocator }: LoadOptions,
): Promise<LoadedSnapshot> {
  const settings = check(settingsFile, source.settings ?? { place: 'snapshot.json', value: {} }, problems);
  const roles = (source.roles && rolesOf(source.roles, problems)) ?? [];
  const definitions = definitionsOf(source, problems);
  // a type that could not be read would be missing wherever it is named
  problems.throwIfAny();
  checkExtentOfTypes(definitions, problems);
  const schema = readSchema(definitions, problems);
  problems.throwIfAny();

  checkPermissions(roles, source.roles?.place ?? '', schema, problems);
  const dialect = dialectFor(dialectName, null);
  const builder = new StoreBuilder(schema, problems, {
    derived: dialect.derived,
    allocator,
    mediaRewrites: mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl),
  });
  const locales = new Set(settings!.locales?.map(({ code }) => code) ?? [settings!.defaultLocale]);
  if (!locales.has(settings!.defaultLocale)) {
    problems.add(source.settings!.place, `the default locale ${preview(settings!.defaultLocale)} is not in "locales"`);
  }
  const entries = new EntryReader(builder, problems, settings!.defaultLocale, locales);
  const roleEntries = roles.map(({ type, name }) => ({ documentId: type, type, name: name ?? type }));
  await entries.read(schema.type(roleType), source.roles?.place ?? 'roles', () => once(roleEntries));
  const localeEntries = Array.from(settings!.locales ?? [{ code: settings!.defaultLocale }], ({ code, name }) => ({
    documentId: code,
    code,
    name: name ?? code,
  }));
  const localesPlace = `${source.settings?.place ?? 'snapshot.json'}, locales`;
  await entries.read(schema.type(localeType), localesPlace, () => once(localeEntries));
  const contentTypes = Array.from(schema.types.values()).filter(
    ({ kind, uid }) => kind !== 'component' && uid !== administratorType,
  );
  const types = new Map(contentTypes.map((type) => [type.singularName, type]));
  for (const [name, { place, batches }] of source.entries) {
    const type = types.get(name);
    if (!type || type.uid === roleType || type.uid === localeType) {
      const nearest = nearestName(name, types.keys());
      problems.add(place, `no content type has the singular name ${preview(name)}${didYouMean(name, types.keys())}`);
      // what these entries are missing for is told by their name
      if (nearest !== null) entries.references.excuse(types.get(nearest)!);
    } else await entries.read(type, place, batches);
  }
  for (const [name, type] of types) {
    if (source.entries.has(name) || type.uid === roleType || type.uid === localeType) continue;
    entries.references.expect(type, source.entriesPlace(name));
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

function rolesOf(piece: Piece, problems: Problems): RoleDefinition[] | null {
  const { value } = piece;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (check(rolesObject, piece, problems)?.roles ?? null) : check(rolesFile, piece, problems);
}

/** The value of a piece, or null after its problems have been noted. */
function check<T extends z.ZodType>(shape: T, { place, value }: Piece, problems: Problems): z.output<T> | null {
  // zod would leave it out without a word
  const { attributes } = (value ?? {}) as { attributes?: unknown };
  if (typeof attributes === 'object' && attributes !== null && Object.hasOwn(attributes, '__proto__')) {
    problems.add(`${place}, attribute __proto__`, 'the name is not allowed: JavaScript reserves it');
  }
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    problems.add(place, describeProblem(issue, value, shape));
  }
  return null;
}

/** Routes that are there whatever the content; no type can have them. */
const reservedRoutes = new Set(['upload', 'users', 'i18n', 'users-permissions', 'content-type-builder']);

function definitionsOf(source: JsonSource, problems: Problems): TypeDefinition[] {
  const definitions: TypeDefinition[] = [];
  const added = new Map<string, TypeDefinition>();
  const names = new Map<string, string>();
  for (const piece of source.contentTypes) {
    const file = check(contentTypeFile, piece, problems);
    if (!file) continue;
    const name = file.info?.singularName;
    const uid = file.uid ?? (name ? `api::${name}.${name}` : '');
    if (!uid) problems.add(piece.place, 'info.singularName is missing');
    checkAttributes(file.attributes, source.inferred ? systemNames : reservedInTypes, piece.place, problems);
    const definition = { ...file, uid, place: piece.place, component: false };
    if (isBuiltIn(uid)) added.set(uid, definition);
    else {
      definitions.push(definition);
      for (const key of [file.info?.singularName, file.info?.pluralName]) {
        if (key === undefined) continue;
        if (reservedRoutes.has(key.toLowerCase()) && !(source.inferred && key === 'users'))
          problems.add(piece.place, `the name ${preview(key)} is a route`);
        if (names.has(key)) problems.add(piece.place, `the name ${preview(key)} is taken by ${names.get(key)}`);
        names.set(key, piece.place);
      }
    }
  }
  for (const piece of source.components) {
    const file = check(componentFile, piece, problems);
    if (file) checkAttributes(file.attributes, reservedInComponents, piece.place, problems);
    if (file) definitions.push({ ...file, uid: piece.uid, place: piece.place, component: true });
  }
  return [...builtInTypes(added, source.inferred === undefined), ...definitions];
}

/**
 * Notes reserved names, and keys that nobody knows: they are mistyped, and a "privat" would lay open what was meant to
 * be kept.
 */
function checkAttributes(
  attributes: Record<string, object>,
  reserved: ReadonlySet<string>,
  place: string,
  problems: Problems,
): void {
  for (const [name, definition] of Object.entries(attributes)) {
    if (reserved.has(name)) {
      problems.add(`${place}, attribute ${name}`, 'the name is reserved: every entry or component has it already');
    }
    for (const key of Object.keys(definition ?? {})) {
      if (attributeKeys.has(key)) continue;
      problems.add(`${place}, attribute ${name}`, `unknown key ${preview(key)}${didYouMean(key, attributeKeys)}`);
    }
  }
}

/** Reads the entries of one content type after another. */
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

  async read(type: EntryType, place: string, batches: () => AsyncIterable<unknown[]>): Promise<void> {
    try {
      let position = 0;
      for await (const batch of batches()) {
        for (const entry of batch) this.#add(type, entry, place, position++);
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      this.#problems.add(place + error.place, error.message);
      // whoever refers to an entry of this file makes no mistake of his own
      this.references.excuse(type);
    }
  }

  #add(type: EntryType, value: unknown, file: string, position: number): void {
    const problems = this.#problems;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return problems.add(`${file}, entry [${position}]`, `expected an object, not ${preview(value)}`);
    }
    const entry = value as Record<string, unknown>;
    const { documentId, locale } = entry;
    // where types are inferred, it may be an attribute
    const status = type.attributes.has('status') ? undefined : entry.status;
    if (typeof documentId !== 'string' || documentId === '') {
      const what = `"documentId" is to be text, not ${preview(documentId)}`;
      return problems.add(`${file}, entry [${position}]`, what);
    }
    const label = labelOf(locale, status);
    const place = `${file}, entry ${documentId}${label}`;
    const published = this.#isPublished(type, status, entry, place);
    const rowLocale = this.#localeOf(type, locale, place);
    const publishedAt = entry.publishedAt ?? (published ? entry.createdAt : undefined);
    const isComplete = publishedAt === (entry.publishedAt ?? undefined) && rowLocale === (locale ?? null);
    const values = isComplete ? entry : { ...entry, publishedAt, locale: rowLocale };
    this.references.addEntry({ type, published, locale: rowLocale, place: file, label }, documentId, place);
    this.#writer.add(type, values, published, place);
  }

  #isPublished(type: EntryType, status: unknown, values: Record<string, unknown>, place: string): boolean {
    if (status === undefined) return true;
    if (!type.draftAndPublish) this.#problems.add(place, `"status" is only for types with draftAndPublish`);
    else if (status !== 'draft' && status !== 'published') {
      this.#problems.add(place, `"status" is to be "draft" or "published", not ${preview(status)}`);
    } else if (status === 'draft' && (values.publishedAt ?? null) !== null) {
      this.#problems.add(place, 'a draft has no "publishedAt"');
    }
    return status !== 'draft';
  }

  #localeOf(type: EntryType, locale: unknown, place: string): string | null {
    if (!type.localized) {
      if (locale !== undefined && locale !== null) this.#problems.add(place, '"locale" is only for localized types');
      return null;
    }
    if (locale === undefined) return this.#defaultLocale;
    if (this.#locales.has(locale as string)) return locale as string;
    this.#problems.add(place, `"locale" is to be one of ${[...this.#locales].join(', ')}, not ${preview(locale)}`);
    return this.#defaultLocale;
  }
}

/** What is written behind a documentId in a message to tell the entry from others of the document. */
function labelOf(locale: unknown, status: unknown): string {
  const hasStatus = typeof status === 'string';
  if (typeof locale !== 'string') return hasStatus ? ` (${status})` : '';
  return hasStatus ? ` (${locale}, ${status})` : ` (${locale})`;
}

/** Notes permissions that name a type or a verb that does not exist. */
function checkPermissions(roles: readonly RoleDefinition[], place: string, schema: Schema, problems: Problems): void {
  for (const { type, permissions } of roles) {
    for (const action of permissions) {
      const what = wrongAction(action, schema);
      if (what === null) continue;
      problems.tolerate(
        'wrong-permission',
        `${place}, role ${type}`,
        () => `the permission ${preview(action)} ${what()}`,
      );
    }
  }
}
