/** Loads an unencrypted Strapi export into a store. */
import type { RoleDefinition } from '../../access/definitions.ts';
import { dialectFor } from '../../base/dialect.ts';
import { type Problems, preview } from '../../base/problems.ts';
import { mediaRewrites } from '../../build/media-urls.ts';
import { StoreBuilder } from '../../build/store-builder.ts';
import { readSchema } from '../../model/read-schema.ts';
import {
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  permissionType,
  roleType,
  type Schema,
} from '../../model/schema.ts';
import type { TypeDefinition } from '../../model/type-definition.ts';
import { checkContent } from '../check-content.ts';
import { checkDefinitionLimits } from '../definition-limits.ts';
import { exportedType } from '../definitions.ts';
import { EntryWriter } from '../entry-writer.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { ExportLines } from './export-lines.ts';
import { GeneratedDocumentIds, isWrittenByVersion4, withoutUnusedDates } from './strapi-4.ts';
import { assetsOf } from './uploaded-files.ts';

/** One end of a link: the row id, the attribute if this end has one, and the position in it. */
interface LinkEnd {
  type: string;
  ref: number;
  field?: string | null;
  pos?: number | null;
}

/** Duplicate entries are always an error, because each of them replaces an entry that the export lacks. */
const duplicateHint =
  ': "strapi export" may duplicate entries of large PostgreSQL tables and omit others; ' +
  'run ALTER SYSTEM SET synchronize_seqscans = off and export again';

export async function loadStrapiExport(
  path: string,
  problems: Problems,
  { dialect: dialectName = 'strapi', mediaUrl, allocator }: LoadOptions,
): Promise<LoadedSnapshot> {
  const lines = new ExportLines(path, problems);
  const types = await readDefinitions(lines, problems);
  const definitions = types.filter(({ uid }) => !isAdministration(uid));
  if (definitions.length === 0) problems.add(path, 'not a Strapi export: it has no schemas/*.jsonl');
  checkDefinitionLimits(types, problems);
  const isVersion4 = isWrittenByVersion4(lines.version, definitions);
  const typed = isVersion4 ? definitions.map(withoutUnusedDates) : definitions;
  const schema = readSchema(typed, problems, { needsInversedBy: true });
  problems.throwIfAny();
  noteMissingStages(path, lines, schema, problems);
  const strapiVersion = lines.version ?? (isVersion4 ? '4' : null);
  const dialect = dialectFor(dialectName, strapiVersion);
  const builder = new StoreBuilder(schema, problems, {
    derived: dialect.derived,
    allocator,
    duplicateHint,
    linksLocalizations: isVersion4,
    mediaRewrites: mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl),
  });
  const roles = new RoleReader();
  const writer = new EntryWriter(builder, problems, null);
  const documentIds = isVersion4 ? await generateDocumentIds(lines, schema) : null;
  await readEntities(lines, schema, writer, roles, problems, documentIds);
  await readLinks(lines, schema, builder, roles, problems, isVersion4);
  const configuration = await readConfiguration(lines);
  problems.throwIfAny();
  const store = builder.finish(configuration.defaultLocale);
  checkContent(store, problems);
  problems.throwIfAny();
  return {
    kind: 'strapi',
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

/** Reports missing stages. `strapi export --only …` omits stages. */
function noteMissingStages(path: string, lines: ExportLines, schema: Schema, problems: Problems): void {
  if (!lines.has('entities')) problems.tolerate('missing-files', path, 'no entities/*.jsonl, so there is no content');
  const isLocalized = Array.from(schema.types.values()).some(({ localized }) => localized);
  if (isLocalized && !lines.has('configuration')) {
    problems.tolerate('missing-files', path, 'no configuration/*.jsonl, so the default locale is assumed to be "en"');
  }
}

function isLinkEnd(end: unknown): end is LinkEnd {
  return typeof (end as Partial<LinkEnd> | null | undefined)?.type === 'string';
}

/** Whether `pos` of a link is a number or missing. */
function isPosition(pos: unknown): boolean {
  return pos === undefined || pos === null || Number.isFinite(pos);
}

/** Whether a type belongs to the admin panel. Such types are not content. Exports hold at most their schemas. */
const isAdministration = (uid: string) => uid.startsWith('admin::');

async function readDefinitions(lines: ExportLines, problems: Problems): Promise<TypeDefinition[]> {
  const definitions: TypeDefinition[] = [];
  await lines.each('schemas', (value: Record<string, unknown>, location) => {
    const checked = exportedType.safeParse(value);
    if (!checked.success) {
      for (const { path, message } of checked.error.issues) problems.add(`${location}, ${path.join('.')}`, message);
      return;
    }
    const { uid } = checked.data;
    const { modelType } = value;
    const definition = { ...(value as unknown as TypeDefinition), location: `${location}, type ${uid}` };
    definitions.push({ ...definition, component: modelType === 'component' });
  });
  return definitions;
}

/** Groups the rows of Strapi 4 into documents by their localization links. */
async function generateDocumentIds(lines: ExportLines, schema: Schema): Promise<GeneratedDocumentIds> {
  const documentIds = new GeneratedDocumentIds();
  if (!Array.from(schema.types.values()).some(({ localized }) => localized)) return documentIds;
  await lines.each('links', ({ left, right }: Record<string, unknown>) => {
    if (isLinkEnd(left) && isLinkEnd(right)) documentIds.addLink(left, right);
  });
  return documentIds;
}

async function readEntities(
  lines: ExportLines,
  schema: Schema,
  writer: EntryWriter,
  roles: RoleReader,
  problems: Problems,
  documentIds: GeneratedDocumentIds | null,
): Promise<void> {
  await lines.each('entities', (value: Record<string, unknown>, location) => {
    const { type: uid, id, data } = value as { type: string; id: unknown; data: Record<string, unknown> };
    if (typeof uid === 'string' && isAdministration(uid)) return;
    const type = schema.types.get(uid);
    if (!type || type.kind === 'component') {
      return problems.tolerate('entry-without-type', location, () => `type ${preview(uid)} is missing`);
    }
    const at = `${location}, ${uid} ${preview(id)}`;
    if (typeof data !== 'object' || data === null) return problems.add(at, '"data" is missing');
    if (id === undefined || id === null) return problems.add(at, '"id" is missing');
    const values: Record<string, unknown> = { ...data, id };
    if (documentIds) values.documentId = documentIds.of(uid, id as number);
    if (typeof values.documentId !== 'string') {
      values.documentId = null;
      problems.tolerate('entry-without-document-id', at, '"documentId" is missing');
    }
    const published = !type.draftAndPublish || (values.publishedAt ?? null) !== null;
    writer.add(type, values, published, at);
    roles.addEntity(uid, values);
  });
}

async function readLinks(
  lines: ExportLines,
  schema: Schema,
  builder: StoreBuilder,
  roles: RoleReader,
  problems: Problems,
  linksLocalizations: boolean,
): Promise<void> {
  let sequence = 0;
  const attributeOf = ({ type, field }: LinkEnd): LinkAttribute | null => {
    const attribute = field ? schema.types.get(type)?.attributes.get(field) : undefined;
    if (!attribute || isScalar(attribute)) return null;
    const isKept = isLocalizations(attribute)
      ? linksLocalizations && !attribute.private
      : schema.storesLinks(attribute);
    return isKept ? attribute : null;
  };
  await lines.each('links', (value: Record<string, unknown>, location) => {
    const { left: leftEnd, right: rightEnd } = value;
    if (!isLinkEnd(leftEnd) || !isLinkEnd(rightEnd)) {
      return problems.add(location, 'expected a link with "left" and "right", each with a "type"');
    }
    const invalidPosition = [leftEnd.pos, rightEnd.pos].find((pos) => !isPosition(pos));
    if (invalidPosition !== undefined) {
      return problems.add(location, `"pos" must be a number, not ${preview(invalidPosition)}`);
    }
    sequence++;
    roles.addLink(leftEnd, rightEnd);
    // exports write media links from the side of the file, although the entry owns them
    const media = attributeOf(rightEnd)?.kind === 'media';
    const [source, target] = media ? [rightEnd, leftEnd] : [leftEnd, rightEnd];
    const attribute = attributeOf(source);
    if (isAdministration(source.type) || isAdministration(target.type)) return;
    // entries contain their components; early versions of Strapi 5 write redundant links for them
    if (attribute?.kind === 'component' || attribute?.kind === 'dynamiczone') return;
    if (!attribute) {
      if (schema.types.get(source.type)?.attributes.has(source.field ?? '')) return;
      const message = () => `${source.type} has no attribute ${preview(source.field)}`;
      return problems.tolerate('foreign-link', location, message);
    }
    if (!isPolymorphic(attribute) && attribute.target !== target.type) {
      const message = () => `${source.type}.${source.field} targets ${attribute.target}, not ${target.type}`;
      return problems.tolerate('foreign-link', location, message);
    }
    const ends = [source, target].map(({ type, ref }) => {
      const ordinal = schema.types.has(type) ? builder.rows(type).ordinalOf(ref) : undefined;
      return { uid: type, ref, ordinal };
    });
    // components in private attributes are not loaded, and neither are their links
    if (ends[0].ordinal === undefined && schema.type(source.type).kind === 'component') return;
    const missing = ends.find(({ ordinal }) => ordinal === undefined);
    if (missing) {
      const from = `${location}, ${source.type} ${source.ref}, attribute ${source.field}`;
      return problems.tolerate('dangling-link', from, () => `no ${missing.uid} with id ${preview(missing.ref)}`);
    }
    const order = (media || isPolymorphic(attribute) ? rightEnd.pos : leftEnd.pos) ?? sequence;
    const [from, to] = ends.map(({ ordinal }) => ordinal!);
    const inverseOrder = media ? sequence : (rightEnd.pos ?? sequence);
    // a link of a polymorphic list stores the attribute of its inverse side
    const inverse = attribute.kind === 'polymorphic' && attribute.many ? (rightEnd.field ?? '') : undefined;
    const links = builder.links(source.type, attribute.name);
    links.add(from, builder.numberOf(target.type), to, order, inverseOrder, inverse);
  });
}

const localeSetting = 'plugin_i18n_default_locale';
const userSetting = 'plugin_users-permissions_advanced';

async function readConfiguration(lines: ExportLines): Promise<{ defaultLocale: string; emailConfirmation: boolean }> {
  const settings = new Map<string, unknown>();
  const usedSettings = new Set<unknown>([localeSetting, userSetting]);
  await lines.each('configuration', ({ value }: Record<string, { key?: string; value?: unknown }>) => {
    if (value && usedSettings.has(value.key)) settings.set(value.key!, value.value);
  });
  const locale = settings.get(localeSetting);
  const advanced = settings.get(userSetting) as { email_confirmation?: unknown } | undefined;
  return {
    // some versions write the value as a JSON string
    defaultLocale: typeof locale === 'string' ? locale.replaceAll('"', '') : 'en',
    emailConfirmation: advanced?.email_confirmation === true,
  };
}

/** Collects roles and permissions, which exports hold as ordinary entries and links. */
class RoleReader {
  readonly #roles = new Map<number, { type: string; name: string; permissions: string[] }>();
  readonly #actions = new Map<number, string>();
  readonly #grants: [permission: number, role: number][] = [];

  addEntity(uid: string, values: Record<string, unknown>): void {
    const id = values.id as number;
    if (uid === roleType) {
      this.#roles.set(id, { type: String(values.type), name: String(values.name), permissions: [] });
    } else if (uid === permissionType) this.#actions.set(id, String(values.action));
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
