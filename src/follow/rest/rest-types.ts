/** What a token can read: content types, their routes and definitions. */
import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import { readDefinition } from '../../load/strapi/strapi-export.ts';
import { readSchema } from '../../model/schema/read-schema.ts';
import {
  type EntryType,
  fileType,
  localeType,
  permissionType,
  roleType,
  routeOf,
  type Schema,
  userType,
} from '../../model/schema/schema.ts';
import type { AttributeDefinition, TypeDefinition } from '../../model/schema/type-definition.ts';
import { type DefinitionLine, readDefinitions, readSnapshotDefinitions } from './read-definitions.ts';
import type { StrapiClient } from './strapi-client.ts';
import { addressHint, StrapiError } from './strapi-error.ts';

/** How the entries of a type are read. Users and files have routes of their own kind, without pages. */
type RouteKind = 'collection' | 'single' | 'list';

/** A type whose entries are read. */
export interface ReadableType {
  readonly type: EntryType;
  readonly kind: RouteKind;
  /** The path of its route below the API. */
  readonly path: string;
  /** The permission that reading it requires. */
  readonly permission: string;
}

export interface RestTypes {
  /** The lines of the schemas of an export, without the types that the token cannot read. */
  readonly definitions: readonly DefinitionLine[];
  readonly schema: Schema;
  /** By uid. */
  readonly readable: ReadonlyMap<string, ReadableType>;
  /** Sentences about what is left out. */
  readonly warnings: readonly string[];
}

/**
 * Finds the types that the token of a client can read. `from` is a snapshot with the content types: an export or a project.
 * Without it, requests them from the Strapi. Without `users`, relations to users stay, and users are not asked for. Rejects
 * with a StrapiError, also if the token can read no type.
 */
export async function findTypes(client: StrapiClient, from?: string, users = true): Promise<RestTypes> {
  const read = from === undefined ? await askForDefinitions(client) : await readSnapshotDefinitions(from);
  // a Strapi lists them in another order after each start
  const definitions = read.sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const asked = typesOf(schemaOf(definitions)).filter(({ type }) => users || type.uid !== userType);
  const answers = await Promise.all(asked.map(async (each) => ({ each, problem: await problemOf(client, each) })));
  const warnings: string[] = [];
  const hidden = new Set<string>();
  const readable = new Map<string, ReadableType>();
  for (const { each, problem } of answers) {
    if (problem === null) readable.set(each.type.uid, each);
    else {
      hidden.add(each.type.uid);
      warnings.push(`${each.type.uid} is left out: ${problem}`);
    }
  }
  const ofContent = asked.filter(({ kind }) => kind !== 'list');
  if (ofContent.length > 0 && ofContent.every(({ type }) => hidden.has(type.uid))) {
    const [{ permission }] = ofContent;
    throw new StrapiError(
      `${client.address}: the token can read no content type. It needs permissions such as ${permission}.`,
      403,
    );
  }
  const kept = withoutTypes(definitions, hidden);
  const schema = schemaOf(kept);
  const types = typesOf(schema).filter(({ type }) => readable.has(type.uid));
  return { definitions: kept, schema, readable: new Map(types.map((each) => [each.type.uid, each])), warnings };
}

async function askForDefinitions(client: StrapiClient): Promise<DefinitionLine[]> {
  try {
    return await readDefinitions(client);
  } catch (error) {
    if (!(error instanceof StrapiError) || (error.status !== 403 && error.status !== 404)) throw error;
    if (error.status === 404) throw new StrapiError(`${error.message}. ${addressHint}`, 404, error.isFromStrapi);
    throw new StrapiError(
      `${error.message} A token of the type "Full access" has this permission, and one of the type "Custom" may have it. ` +
        'For any other token, --types names an export or the folder of the project.',
      error.status,
      error.isFromStrapi,
    );
  }
}

/** Returns the types of a Strapi all of which can be read, whatever the token may. `users` is as for `findTypes`. */
export function allTypes(lines: readonly DefinitionLine[], users = true): RestTypes {
  const definitions = lines.toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
  const schema = schemaOf(definitions);
  const ofRoles = [roleType, permissionType].flatMap((uid) => schema.types.get(uid) ?? []);
  const types = [...typesOf(schema).map(({ type }) => type), ...ofRoles].filter(({ uid }) => users || uid !== userType);
  const readable = types.map((type): ReadableType => ({ type, kind: 'list', path: '', permission: '' }));
  return { definitions, schema, readable: new Map(readable.map((each) => [each.type.uid, each])), warnings: [] };
}

function schemaOf(lines: readonly DefinitionLine[]): Schema {
  const problems = new Problems('tolerant');
  const definitions = lines.map((line) => readDefinition(line, line.uid, problems));
  const known = definitions.filter((each): each is TypeDefinition => each !== null && !each.uid.startsWith('admin::'));
  const schema = readSchema(known, problems, { needsInversedBy: true });
  problems.throwIfAny();
  return schema;
}

const builtIn: Readonly<Record<string, Pick<ReadableType, 'path' | 'permission'>>> = {
  [fileType]: { path: 'upload/files', permission: 'plugin::upload.content-api.find' },
  [userType]: { path: 'users', permission: 'plugin::users-permissions.user.find' },
};

/** Whether the route of a type knows no status, so that its lists show published and draft rows together. */
export function hasPlainRoute(uid: string): boolean {
  return Object.hasOwn(builtIn, uid);
}

/** Returns the types with routes of the content API: those of the project, files and users. */
function typesOf(schema: Schema): ReadableType[] {
  return Array.from(schema.types.values()).flatMap((type): ReadableType[] => {
    const { uid, kind } = type;
    if (hasPlainRoute(uid)) return [{ type, kind: 'list', ...builtIn[uid] }];
    if (!uid.startsWith('api::') || kind === 'component') return [];
    const isSingle = kind === 'singleType';
    return [{ type, kind: isSingle ? 'single' : 'collection', path: routeOf(type), permission: `${uid}.find` }];
  });
}

/** Whether relations to a type lead to entries that are read, or to those that other routes describe. */
export function isTarget(types: RestTypes, uid: string): boolean {
  return types.readable.has(uid) || uid === roleType || uid === localeType;
}

/** Returns why a type cannot be read, or null if it can. */
async function problemOf(client: StrapiClient, { kind, path, permission }: ReadableType): Promise<string | null> {
  const page = kind === 'list' ? { limit: 1 } : kind === 'collection' ? { pagination: { pageSize: 1 } } : {};
  try {
    checkVersion(client, await client.get(path, { fields: ['id'], ...page }, permission));
    return null;
  } catch (error) {
    if (!(error instanceof StrapiError)) throw error;
    // the type has only routes for writing
    if (error.status === 405) return `the API has no GET route ${path}.`;
    // a proxy that refuses a request says nothing about the rights of the token
    if (!error.isFromStrapi) throw error;
    if (error.status === 403) return `the token lacks the permission ${permission}.`;
    if (error.status !== 404) throw error;
    // a single type without an entry is not found either
    return kind === 'single' ? null : `the API has no route ${path}.`;
  }
}

/** Throws a StrapiError for a reply in the format of Strapi 4, which wraps attributes, even if there are none. */
function checkVersion(client: StrapiClient, reply: unknown): void {
  const { data } = (reply ?? {}) as { data?: unknown };
  const first: unknown = Array.isArray(data) ? data[0] : data;
  if (!isPlainObject(first) || first.attributes === undefined) return;
  throw new StrapiError(
    `${client.address} answers in the format of Strapi 4, which cannot be pulled. Serve an export of it: "strapi export --no-encrypt".`,
    200,
  );
}

/** Leaves out the given types of the project, and the relations of the project's other types to them. */
function withoutTypes(definitions: readonly DefinitionLine[], hidden: ReadonlySet<string>): DefinitionLine[] {
  const leadsAway = ({ type, target }: AttributeDefinition) =>
    type === 'relation' && typeof target === 'string' && hidden.has(target);
  return definitions
    .filter(({ uid }) => !hidden.has(uid) || !uid.startsWith('api::'))
    .map((line) => (line.uid.startsWith('plugin::') ? line : withoutAttributes(line, leadsAway)));
}

function withoutAttributes(
  line: DefinitionLine,
  isLeftOut: (attribute: AttributeDefinition) => boolean,
): DefinitionLine {
  const kept = Object.entries(line.attributes).filter(([, attribute]) => !isLeftOut(attribute));
  return { ...line, attributes: Object.fromEntries(kept) };
}
