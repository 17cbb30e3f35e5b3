/** Loads an unencrypted Strapi export into a store. */
import { dialectFor } from '../../base/dialect.ts';
import { isPlainObject } from '../../base/plain-object.ts';
import { type Problems, preview } from '../../base/problems.ts';
import { readSchema } from '../../model/read-schema.ts';
import { type EntryType, isAdministration, type Schema } from '../../model/schema.ts';
import type { TypeDefinition } from '../../model/type-definition.ts';
import { finishStore, storeBuilderFor } from '../build-store.ts';
import { checkDefinitionLimits } from '../definition-limits.ts';
import { exportedType } from '../definitions.ts';
import { EntryWriter, type RowHandle, storeSink } from '../entry-writer.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { assetsOf } from '../uploaded-files.ts';
import { validate } from '../validate.ts';
import { ExportLines } from './export-lines.ts';
import { isLinkEnd, LinkReader } from './link-reader.ts';
import { RoleReader } from './role-reader.ts';
import { GeneratedDocumentIds, isWrittenByVersion4, withoutUnusedDates } from './strapi-4.ts';

/** Duplicate entries are always an error, because each of them replaces an entry that the export lacks. */
const duplicateHint =
  ': "strapi export" may duplicate entries of large PostgreSQL tables and omit others; ' +
  'run ALTER SYSTEM SET synchronize_seqscans = off and export again';

export async function loadStrapiExport(
  path: string,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const types: TypeDefinition[] = [];
  const lines = await ExportLines.open(path, problems, (value, location) => {
    const definition = readDefinition(value, location, problems);
    if (definition) types.push(definition);
  });
  const definitions = types.filter(({ uid }) => !isAdministration(uid));
  if (definitions.length === 0) problems.add(path, 'not a Strapi export: it has no schemas/*.jsonl');
  checkDefinitionLimits(types, problems);
  const isVersion4 = isWrittenByVersion4(lines.strapiVersion, definitions);
  const typed = isVersion4 ? definitions.map(withoutUnusedDates) : definitions;
  const schema = readSchema(typed, problems, { needsInversedBy: true });
  problems.throwIfAny();
  noteMissingStages(path, lines, schema, problems);
  const strapiVersion = lines.strapiVersion ?? (isVersion4 ? '4' : null);
  const dialect = dialectFor(options.dialect ?? 'strapi', strapiVersion);
  const linksLocalizations = isVersion4;
  const builder = storeBuilderFor(schema, problems, dialect, options, { duplicateHint, linksLocalizations });
  const roles = new RoleReader();
  const writer = new EntryWriter(storeSink(builder), problems);
  const documentIds = isVersion4 ? await generateDocumentIds(lines, schema) : null;
  await readEntities(lines, schema, writer, roles, problems, documentIds);
  await readLinks(lines, new LinkReader(builder, problems, linksLocalizations), roles, problems);
  const configuration = await readConfiguration(lines);
  const store = finishStore(builder, configuration.defaultLocale, problems);
  return {
    kind: 'strapi',
    tolerance: problems.tolerance,
    types,
    inferred: null,
    strapiVersion,
    dialect,
    store,
    roles: roles.finish(),
    emailConfirmation: configuration.emailConfirmation,
    blockedUsers: writer.blockedUsers,
    uploadedFiles: await assetsOf(path, lines.root, writer.uploadNames),
    warnings: problems.warnings,
  };
}

function readDefinition(value: Record<string, unknown>, location: string, problems: Problems): TypeDefinition | null {
  const type = validate(exportedType, value, location, problems);
  if (!type) return null;
  const definition = value as unknown as TypeDefinition;
  return { ...definition, location: `${location}, type ${type.uid}`, component: value.modelType === 'component' };
}

/** Reports missing stages. `strapi export --only …` omits stages. */
function noteMissingStages(path: string, lines: ExportLines, schema: Schema, problems: Problems): void {
  if (!lines.has('entities')) problems.tolerate('missing-files', path, 'no entities/*.jsonl, so there is no content');
  const isLocalized = Array.from(schema.types.values()).some(({ localized }) => localized);
  if (isLocalized && !lines.has('configuration')) {
    problems.tolerate('missing-files', path, 'no configuration/*.jsonl, so the default locale is assumed to be "en"');
  }
}

/** Groups the rows of Strapi 4 into documents by their localization links. */
async function generateDocumentIds(lines: ExportLines, schema: Schema): Promise<GeneratedDocumentIds> {
  const documentIds = new GeneratedDocumentIds();
  if (!Array.from(schema.types.values()).some(({ localized }) => localized)) return documentIds;
  await lines.each('links', ({ left, right }) => {
    if (isLinkEnd(left) && isLinkEnd(right)) documentIds.addLink(left, right);
  });
  return documentIds;
}

async function readEntities(
  lines: ExportLines,
  schema: Schema,
  writer: EntryWriter<RowHandle>,
  roles: RoleReader,
  problems: Problems,
  documentIds: GeneratedDocumentIds | null,
): Promise<void> {
  await lines.each('entities', ({ type: uid, id, data }, location) => {
    if (typeof uid === 'string' && isAdministration(uid)) return;
    const type = schema.types.get(uid as string);
    if (!type || type.kind === 'component') {
      return problems.tolerate('entry-without-type', location, () => `type ${preview(uid)} is missing`);
    }
    const at = `${location}, ${uid} ${preview(id)}`;
    if (data === undefined || data === null) return problems.add(at, '"data" is missing');
    if (!isPlainObject(data)) return problems.add(at, `"data" must be an object, not ${preview(data)}`);
    if (id === undefined || id === null) return problems.add(at, '"id" is missing');
    const values: Record<string, unknown> = { ...data, id };
    if (documentIds) values.documentId = documentIds.of(type.uid, id as number);
    const published = completeValues(type, values, at, problems);
    writer.add(type, values, published, at);
    roles.addEntity(type.uid, values);
  });
}

/** Reports a missing documentId, and sets it to null. Returns whether the entry is published. */
export function completeValues(
  type: EntryType,
  values: Record<string, unknown>,
  location: string,
  problems: Problems,
): boolean {
  if (typeof values.documentId !== 'string') {
    values.documentId = null;
    problems.tolerate('entry-without-document-id', location, '"documentId" is missing');
  }
  return !type.draftAndPublish || (values.publishedAt ?? null) !== null;
}

async function readLinks(lines: ExportLines, links: LinkReader, roles: RoleReader, problems: Problems): Promise<void> {
  await lines.each('links', ({ left, right }, location) => {
    if (!isLinkEnd(left) || !isLinkEnd(right)) {
      return problems.add(location, 'expected a link with "left" and "right", each with a "type"');
    }
    roles.addLink(left, right);
    links.add(left, right, location);
  });
}

const localeSetting = 'plugin_i18n_default_locale';
const userSetting = 'plugin_users-permissions_advanced';

async function readConfiguration(lines: ExportLines): Promise<{ defaultLocale: string; emailConfirmation: boolean }> {
  const settings = new Map<string, unknown>();
  const usedSettings = new Set([localeSetting, userSetting]);
  await lines.each('configuration', ({ value: setting }) => {
    const { key, value } = (setting ?? {}) as { key?: unknown; value?: unknown };
    if (usedSettings.has(key as string)) settings.set(key as string, value);
  });
  const locale = settings.get(localeSetting);
  const advanced = settings.get(userSetting) as { email_confirmation?: unknown } | undefined;
  return {
    // some versions write the value as a JSON string
    defaultLocale: typeof locale === 'string' ? locale.replaceAll('"', '') : 'en',
    emailConfirmation: advanced?.email_confirmation === true,
  };
}
