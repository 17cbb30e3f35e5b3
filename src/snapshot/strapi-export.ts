/** Loads what `strapi export --no-encrypt` writes into a store. */
import type { RoleDefinition } from '../access/definitions.ts';
import { type Problems, quote } from '../problems.ts';
import { readSchema, type TypeDefinition } from '../schema/read.ts';
import {
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  permissionType,
  roleType,
  type Schema,
} from '../schema/schema.ts';
import { mediaRewrites } from '../store/media-urls.ts';
import { StoreBuilder } from '../store/store-builder.ts';
import { exportFiles } from './archive.ts';
import { BrokenFile } from './broken-file.ts';
import { exportedType } from './definitions.ts';
import { jsonLines } from './elements.ts';
import { EntryWriter } from './entry-writer.ts';
import { danglingWarnings, type LoadedSnapshot, type LoadOptions } from './loaded.ts';
import { GeneratedDocumentIds, isWrittenByVersion4, versionIn, withoutUnusedDates } from './strapi-4.ts';
import { assetsOf } from './uploaded-files.ts';

/** One end of a link: `ref` is the id of a row; `field` the attribute, if this end has one; `pos` its place there. */
interface LinkEnd {
  type: string;
  ref: number;
  field?: string | null;
  pos?: number | null;
}

export async function loadStrapiExport(
  path: string,
  problems: Problems,
  { lenient, mediaUrl }: LoadOptions,
): Promise<LoadedSnapshot> {
  const { definitions, version } = await readDefinitions(path, problems);
  const isVersion4 = isWrittenByVersion4(version, definitions);
  const schema = readSchema(isVersion4 ? definitions.map(withoutUnusedDates) : definitions, problems);
  if (definitions.length === 0) problems.add(path, 'no schemas/*.jsonl in it: not an export of Strapi');
  problems.throwIfAny();
  const builder = new StoreBuilder(schema, problems, {
    fromDatabase: true,
    hasOneRowALocale: isVersion4,
    mediaRewrites: mediaUrl === undefined ? undefined : mediaRewrites(mediaUrl),
  });
  const roles = new RoleReader();
  const writer = new EntryWriter(builder, problems, null);
  const documentIds = isVersion4 ? await generateDocumentIds(path, schema, problems) : null;
  await readEntities(path, schema, writer, roles, problems, documentIds);
  const left = await readLinks(path, schema, builder, roles, problems, lenient);
  const configuration = await readConfiguration(path, problems);
  problems.throwIfAny();
  return {
    kind: 'strapi',
    strapiVersion: version ?? (isVersion4 ? '4' : null),
    store: builder.finish(configuration.defaultLocale),
    roles: roles.finish(),
    emailConfirmation: configuration.emailConfirmation,
    blockedUsers: writer.blockedUsers,
    uploadedFiles: await assetsOf(path, writer.uploadNames),
    warnings: danglingWarnings(left),
  };
}

/**
 * Calls `take` with each object that stands in a line of a stage's files. A broken file is a problem. On the way it
 * reads the version of Strapi from the export's metadata, if `takeVersion` is given.
 */
async function eachLine(
  path: string,
  stage: string,
  problems: Problems,
  take: (value: Record<string, never>, place: string) => void,
  takeVersion?: (version: string) => void,
): Promise<void> {
  const metadata = takeVersion ? '|^metadata\\.json$' : '';
  for await (const { name, content } of exportFiles(path, new RegExp(`^${stage}/[^/]+\\.jsonl$${metadata}`))) {
    try {
      if (name === 'metadata.json') {
        const version = await versionIn(content);
        if (version !== null) takeVersion?.(version);
        continue;
      }
      for await (const lines of jsonLines(content)) {
        for (const { line, value } of lines) {
          const place = `${name}:${line}`;
          if (typeof value === 'object' && value !== null) take(value as Record<string, never>, place);
          else problems.add(place, `expected an object, not ${quote(value)}`);
        }
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      problems.add(name, error.message);
    }
  }
}

function isLinkEnd(end: unknown): end is LinkEnd {
  return typeof (end as Partial<LinkEnd> | null | undefined)?.type === 'string';
}

/** Administrators and their settings are no content; an export has at most their schemas. */
const isAdministration = (uid: string) => uid.startsWith('admin::');

/** Reads the types, and the version of the Strapi that wrote them, if the export tells it. */
async function readDefinitions(
  path: string,
  problems: Problems,
): Promise<{ definitions: TypeDefinition[]; version: string | null }> {
  const definitions: TypeDefinition[] = [];
  let version: string | null = null;
  await eachLine(
    path,
    'schemas',
    problems,
    (value: Record<string, unknown>, place) => {
      const checked = exportedType.safeParse(value);
      if (!checked.success) {
        for (const { path, message } of checked.error.issues) problems.add(`${place}, ${path.join('.')}`, message);
        return;
      }
      const { uid } = checked.data;
      const { modelType } = value;
      if (!isAdministration(uid)) {
        const definition = { ...(value as unknown as TypeDefinition), place: `${place}, type ${uid}` };
        definitions.push({ ...definition, component: modelType === 'component' });
      }
    },
    (found) => {
      version = found;
    },
  );
  return { definitions, version };
}

/** Reads which rows the links of Strapi 4 make one document. */
async function generateDocumentIds(path: string, schema: Schema, problems: Problems): Promise<GeneratedDocumentIds> {
  const documentIds = new GeneratedDocumentIds();
  if (!Array.from(schema.types.values()).some(({ localized }) => localized)) return documentIds;
  await eachLine(path, 'links', problems, ({ left, right }: Record<string, unknown>) => {
    if (isLinkEnd(left) && isLinkEnd(right)) documentIds.addLink(left, right);
  });
  return documentIds;
}

async function readEntities(
  path: string,
  schema: Schema,
  writer: EntryWriter,
  roles: RoleReader,
  problems: Problems,
  documentIds: GeneratedDocumentIds | null,
): Promise<void> {
  await eachLine(path, 'entities', problems, (value: Record<string, unknown>, place) => {
    const { type: uid, id, data } = value as { type: string; id: unknown; data: Record<string, unknown> };
    if (typeof uid === 'string' && isAdministration(uid)) return;
    const type = schema.types.get(uid);
    if (!type || type.kind === 'component') return problems.add(place, `type ${quote(uid)} is missing`);
    const at = `${place}, ${uid} ${quote(id)}`;
    if (typeof data !== 'object' || data === null) return problems.add(at, '"data" is missing');
    if (id === undefined || id === null) return problems.add(at, '"id" is missing');
    const values: Record<string, unknown> = { ...data, id };
    if (documentIds) values.documentId = documentIds.of(uid, id as number);
    if (typeof values.documentId !== 'string') problems.add(at, '"documentId" is missing');
    const published = !type.draftAndPublish || (values.publishedAt ?? null) !== null;
    writer.add(type, values, published, at);
    roles.addEntity(uid, values);
  });
}

/** Reads the links and gives those that lead nowhere, in words. */
async function readLinks(
  path: string,
  schema: Schema,
  builder: StoreBuilder,
  roles: RoleReader,
  problems: Problems,
  lenient: boolean,
): Promise<string[]> {
  const left: string[] = [];
  let sequence = 0;
  const attributeOf = ({ type, field }: LinkEnd): LinkAttribute | null => {
    const attribute = field ? schema.types.get(type)?.attributes.get(field) : undefined;
    return attribute && !isScalar(attribute) && schema.holds(attribute) ? attribute : null;
  };
  await eachLine(path, 'links', problems, (value: Record<string, unknown>, place) => {
    const { left: leftEnd, right: rightEnd } = value;
    if (!isLinkEnd(leftEnd) || !isLinkEnd(rightEnd)) {
      return problems.add(place, 'a link with "left" and "right" is expected, each with a "type"');
    }
    sequence++;
    roles.addLink(leftEnd, rightEnd);
    // media are written from the file's side, though the entry owns them
    const media = attributeOf(rightEnd)?.kind === 'media';
    const [source, target] = media ? [rightEnd, leftEnd] : [leftEnd, rightEnd];
    const attribute = attributeOf(source);
    if (!attribute || isAdministration(target.type)) return;
    if (!isPolymorphic(attribute) && attribute.target !== target.type) {
      return problems.add(place, `${source.type}.${source.field} leads to ${attribute.target}, not ${target.type}`);
    }
    const ends = [source, target].map(({ type, ref }) => {
      const arrival = schema.types.has(type) ? builder.rows(type).arrivalOf(ref) : undefined;
      return { uid: type, ref, arrival };
    });
    // what stands in a private component is not kept, and what it leads to is shown nowhere
    if (ends[0].arrival === undefined && schema.type(source.type).kind === 'component') return;
    const missing = ends.find(({ arrival }) => arrival === undefined);
    if (missing) {
      const from = `${place}, ${source.type} ${source.ref}, attribute ${source.field}`;
      const what = `no ${missing.uid} with id ${quote(missing.ref)}`;
      if (lenient) left.push(`${from}: ${what}`);
      else problems.add(from, what);
      return;
    }
    const order = (media || isPolymorphic(attribute) ? rightEnd.pos : leftEnd.pos) ?? sequence;
    const [from, to] = ends.map(({ arrival }) => arrival!);
    const inverseOrder = media ? sequence : (rightEnd.pos ?? sequence);
    // the far side of a polymorphic list is stored with the name of the attribute that shows it
    const inverse = attribute.kind === 'polymorphic' && attribute.many ? (rightEnd.field ?? '') : undefined;
    const links = builder.links(source.type, attribute.name);
    links.add(from, builder.numberOf(target.type), to, order, inverseOrder, inverse);
  });
  return left;
}

async function readConfiguration(
  path: string,
  problems: Problems,
): Promise<{ defaultLocale: string; emailConfirmation: boolean }> {
  const settings = new Map<string, unknown>();
  await eachLine(path, 'configuration', problems, ({ value }: Record<string, { key?: string; value?: unknown }>) => {
    if (value && typeof value.key === 'string') settings.set(value.key, value.value);
  });
  const locale = settings.get('plugin_i18n_default_locale');
  const advanced = settings.get('plugin_users-permissions_advanced') as { email_confirmation?: unknown } | undefined;
  return {
    // some versions write the value as JSON inside the text
    defaultLocale: typeof locale === 'string' ? locale.replaceAll('"', '') : 'en',
    emailConfirmation: advanced?.email_confirmation === true,
  };
}

/** Gathers roles and their permissions, which an export has as entries and links like any other. */
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
