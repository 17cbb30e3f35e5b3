/** The content of a Strapi project in a copy of its database. */
import { SnapshotError } from '../../core/errors.ts';
import { Problems } from '../../core/problems.ts';
import type { ApiToken } from '../../model/access/sign-in.ts';
import type { Database } from '../database/database.ts';
import { DatabaseContent } from '../database/database-content.ts';
import type { DatabaseValue } from '../database/drivers.ts';
import { readSetting, storedType } from '../database/stored-types.ts';
import type { LoadedAccess, LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { confirmsEmail, loadStrapiContent, type StrapiContent, userSetting } from '../strapi/strapi-content.ts';
import type { StrapiProject } from './project-folder.ts';

/**
 * Returns the content of a project in a copy of its database. Throws a SnapshotError if the schema does not fit the
 * tables.
 */
export function openProjectContent(database: Database, project: StrapiProject): DatabaseContent {
  const { strapiVersion, databaseFile, privateAttributes, uploads } = project;
  const problems = new Problems();
  const components = project.components.flatMap(({ uid, name, path, definition, problem }) => {
    if (problem !== null) problems.add(path, problem);
    if (definition === null) return [];
    const value = { ...definition, uid, modelType: 'component', modelName: name };
    return storedType(value, path, problems) ?? [];
  });
  problems.throwIfAny();
  const uploadedFiles = async (names: ReadonlySet<string>) =>
    names.size > 0 ? { kind: 'folder' as const, path: uploads, names } : null;
  const surroundings = { strapiVersion, components, privateAttributes, uploadedFiles };
  return DatabaseContent.open(database, surroundings, databaseFile);
}

/** Loads what `openProjectContent` has returned, with what `readProjectAccess` has returned. */
export async function loadProjectContent(
  content: StrapiContent,
  access: LoadedAccess,
  { folder, warnings }: StrapiProject,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const loaded = await loadStrapiContent(content, folder, problems, options);
  return { ...loaded, ...access, replacesFiles: true, warnings: [...loaded.warnings, ...warnings] };
}

/** Throws a SnapshotError as `readApiTokens` does. */
export function readProjectAccess(database: Database, { databaseFile, secrets }: StrapiProject): LoadedAccess {
  const emailConfirmation = confirmsEmail(readSetting(database, userSetting));
  return { apiTokens: readApiTokens(database, databaseFile), secrets, emailConfirmation };
}

/**
 * Reads the API tokens of a Strapi database in ascending order of id, without those for the admin panel. `location`
 * names the database in messages. Throws a SnapshotError if the tables do not fit, or a token expires at no date.
 */
export function readApiTokens(database: Database, location: string): ApiToken[] {
  const permissions = readPermissions(database);
  // before Strapi had tokens for the admin panel, there was no column
  const [hasKind] = database.rows(`SELECT name FROM pragma_table_info('strapi_api_tokens') WHERE name = 'kind'`);
  const content = hasKind ? `WHERE kind IS NULL OR kind = 'content-api'` : '';
  const statement = `SELECT id, name, type, access_key, expires_at FROM strapi_api_tokens ${content} ORDER BY id`;
  return Array.from(database.rows(statement), ([id, name, given, accessKey, expiresAt]) => {
    const type = given === 'full-access' || given === 'read-only' ? given : 'custom';
    return {
      name: String(name),
      type,
      permissions: given === 'custom' ? (permissions.get(id) ?? []) : [],
      accessKey: String(accessKey),
      expires: timeOf(expiresAt, `${location}: strapi_api_tokens: the token ${JSON.stringify(name)}`),
    };
  });
}

/** Returns the actions of tokens, by the ids of the tokens. */
function readPermissions(database: Database): Map<DatabaseValue, string[]> {
  const permissions = new Map<DatabaseValue, string[]>();
  const statement =
    'SELECT link.api_token_id, permission.action FROM strapi_api_token_permissions_token_lnk AS link ' +
    'JOIN strapi_api_token_permissions AS permission ON permission.id = link.api_token_permission_id ' +
    'ORDER BY permission.action';
  for (const [token, action] of database.rows(statement)) {
    const actions = permissions.get(token);
    if (actions) actions.push(String(action));
    else permissions.set(token, [String(action)]);
  }
  return permissions;
}

/** Returns a date in milliseconds since 1970. Strapi writes a number of them on SQLite. */
function timeOf(value: DatabaseValue, token: string): number | null {
  if (value === null) return null;
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  if (Number.isFinite(time)) return time;
  throw new SnapshotError([`${token} has an expires_at that is no date: ${JSON.stringify(String(value))}`]);
}
