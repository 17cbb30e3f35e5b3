/** Builds a store of the content of a Strapi: its types, entities, links and configuration. */
import { type DatabaseName, dialectFor, type MysqlTables } from '../../core/dialect.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview, type SnapshotWarning } from '../../core/problems.ts';
import type { RoleDefinition } from '../../model/access/definitions.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import { type EntryType, isAdministration, permissionType, roleType, type Schema } from '../../model/schema/schema.ts';
import type { TypeDefinition } from '../../model/schema/type-definition.ts';
import { finishStore, storeBuilderFor } from '../build-store.ts';
import { checkDefinitionLimits } from '../definitions.ts';
import { EntryWriter, type RowHandle, storeSink } from '../entry-writer.ts';
import { addressesOf, isLeftOut, type LoadedSnapshot, type LoadOptions } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import { isLinkEnd, type LinkEnd, LinkReader } from './link-reader.ts';
import { GeneratedDocumentIds, isWrittenByVersion4, withoutUnusedDates } from './strapi-4.ts';

/** A folder of an export, with a part of its lines. */
export type Stage = 'schemas' | 'entities' | 'links' | 'configuration';

/** Takes a line. `location` says where it is, for messages: the file and the number of the line, or table and id. */
export type LineReader = (value: Record<string, unknown>, location: string) => void;

/** The content of a Strapi as the lines of an export, wherever they come from. */
export interface StrapiContent {
  /** Null if it is unknown. */
  readonly strapiVersion: string | null;
  /** The database that it is read from. Null if it is unknown. */
  readonly database?: DatabaseName | null;
  /** What its tables say, if that is MySQL or MariaDB. */
  readonly mysql?: MysqlTables;
  /** The definitions of all content types and components, including those of the admin panel. */
  readonly types: readonly TypeDefinition[];
  /** What is known to be left out. */
  readonly warnings?: readonly SnapshotWarning[];
  /** Ends the message about an id that is given twice, and says how that comes about. */
  readonly duplicateHint?: string;
  has(stage: Stage): boolean;
  /** Calls `take` for each line of a stage. May be called several times. */
  each(stage: Exclude<Stage, 'schemas'>, take: LineReader): Promise<void>;
  /** Returns where the uploaded files are, or null. `names` are those that entries name. */
  uploadedFiles(names: ReadonlySet<string>): Promise<UploadedFiles | null>;
}

/** `path` is the place of the content in messages. */
export async function loadStrapiContent(
  content: StrapiContent,
  path: string,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const { types, duplicateHint } = content;
  const definitions = types.filter(({ uid }) => !isAdministration(uid));
  checkDefinitionLimits(types, problems);
  problems.throwIfAny();
  const isVersion4 = isWrittenByVersion4(content.strapiVersion, definitions);
  const typed = isVersion4 ? definitions.map(withoutUnusedDates) : definitions;
  const schema = readSchema(typed, problems, { needsInversedBy: true });
  problems.throwIfAny();
  noteMissingStages(path, content, schema, problems);
  const strapiVersion = content.strapiVersion ?? (isVersion4 ? '4' : null);
  const dialect = dialectFor(
    options.dialect ?? 'strapi',
    strapiVersion,
    options.database ?? content.database ?? undefined,
    options.mysql ?? content.mysql,
  );
  const linksLocalizations = isVersion4;
  const builder = storeBuilderFor(schema, problems, dialect, options, { duplicateHint, linksLocalizations });
  const roles = new RoleReader();
  const writer = new EntryWriter(storeSink(builder), problems);
  const documentIds = isVersion4 ? await generateDocumentIds(content, schema) : null;
  const leavesOut = (uid: unknown) => isLeftOut(uid, options);
  await readEntities(content, schema, writer, roles, problems, documentIds, leavesOut);
  await readLinks(content, new LinkReader(builder, problems, linksLocalizations), roles, problems, leavesOut);
  const configuration = await readConfiguration(content);
  const store = finishStore(builder, configuration.defaultLocale, problems, options);
  return {
    kind: 'strapi',
    tolerance: problems.tolerance,
    types,
    inferred: null,
    strapiVersion,
    dialect,
    store,
    addresses: addressesOf(options),
    roles: roles.finish(),
    emailConfirmation: configuration.emailConfirmation,
    blockedUsers: writer.blockedUsers,
    uploadedFiles: await content.uploadedFiles(writer.uploadNames),
    warnings: problems.warnings,
  };
}

/** Reports missing stages. `strapi export --only …` omits stages. */
function noteMissingStages(path: string, content: StrapiContent, schema: Schema, problems: Problems): void {
  if (!content.has('entities')) problems.tolerate('missing-files', path, 'no entities/*.jsonl, so there is no content');
  const isLocalized = Array.from(schema.types.values()).some(({ localized }) => localized);
  if (isLocalized && !content.has('configuration')) {
    problems.tolerate('missing-files', path, 'no configuration/*.jsonl, so the default locale is assumed to be "en"');
  }
}

/** Groups the rows of Strapi 4 into documents by their localization links. */
async function generateDocumentIds(content: StrapiContent, schema: Schema): Promise<GeneratedDocumentIds> {
  const documentIds = new GeneratedDocumentIds();
  if (!Array.from(schema.types.values()).some(({ localized }) => localized)) return documentIds;
  await content.each('links', ({ left, right }) => {
    if (isLinkEnd(left) && isLinkEnd(right)) documentIds.addLink(left, right);
  });
  return documentIds;
}

async function readEntities(
  content: StrapiContent,
  schema: Schema,
  writer: EntryWriter<RowHandle>,
  roles: RoleReader,
  problems: Problems,
  documentIds: GeneratedDocumentIds | null,
  leavesOut: (uid: unknown) => boolean,
): Promise<void> {
  await content.each('entities', ({ type: uid, id, data }, location) => {
    if ((typeof uid === 'string' && isAdministration(uid)) || leavesOut(uid)) return;
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

async function readLinks(
  content: StrapiContent,
  links: LinkReader,
  roles: RoleReader,
  problems: Problems,
  leavesOut: (uid: unknown) => boolean,
): Promise<void> {
  await content.each('links', ({ left, right }, location) => {
    if (!isLinkEnd(left) || !isLinkEnd(right)) {
      return problems.add(location, 'expected a link with "left" and "right", each with a "type"');
    }
    if (leavesOut(left.type) || leavesOut(right.type)) return;
    roles.addLink(left, right);
    links.add(left, right, location);
  });
}

export const localeSetting = 'plugin_i18n_default_locale';
export const userSetting = 'plugin_users-permissions_advanced';

/** Returns whether users have to confirm their e-mail address, by the value of the setting. */
export function confirmsEmail(setting: unknown): boolean {
  return isPlainObject(setting) && setting.email_confirmation === true;
}

async function readConfiguration(
  content: StrapiContent,
): Promise<{ defaultLocale: string; emailConfirmation: boolean }> {
  const settings = new Map<string, unknown>();
  const usedSettings = new Set([localeSetting, userSetting]);
  await content.each('configuration', ({ value: setting }) => {
    const { key, value } = (setting ?? {}) as { key?: unknown; value?: unknown };
    if (usedSettings.has(key as string)) settings.set(key as string, value);
  });
  const locale = settings.get(localeSetting);
  return {
    // some versions write the value as a JSON string
    defaultLocale: typeof locale === 'string' ? locale.replaceAll('"', '') : 'en',
    emailConfirmation: confirmsEmail(settings.get(userSetting)),
  };
}

/** Collects roles and permissions, which exports hold as ordinary entries and links. */
export class RoleReader {
  readonly #roles = new Map<number, { type: string; name: string; permissions: string[] }>();
  readonly #actions = new Map<number, string>();
  readonly #grants: [permission: number, role: number][] = [];

  addEntity(uid: string, { id, type, name, action }: Record<string, unknown>): void {
    if (uid === roleType && typeof type === 'string') {
      this.#roles.set(id as number, { type, name: typeof name === 'string' ? name : type, permissions: [] });
    } else if (uid === permissionType && typeof action === 'string') this.#actions.set(id as number, action);
  }

  addLink(left: LinkEnd, right: LinkEnd): void {
    if (left.type === permissionType && right.type === roleType) this.#grants.push([left.ref, right.ref]);
  }

  finish(): RoleDefinition[] {
    for (const [permission, role] of this.#grants) {
      const action = this.#actions.get(permission);
      if (action !== undefined) this.#roles.get(role)?.permissions.push(action);
    }
    return Array.from(this.#roles.values());
  }
}
