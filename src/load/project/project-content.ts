/** The content of a Strapi project in a state of its database. */

import { isDeepStrictEqual } from 'node:util';
import { SnapshotError } from '../../core/errors.ts';
import { mapAt } from '../../core/map-at.ts';
import { Problems } from '../../core/problems.ts';
import { type ApiToken, apiTokenOf } from '../../model/access/definitions.ts';
import type { AttributeDefinition } from '../../model/schema/type-definition.ts';
import type { Database, DatabaseDialect, DatabaseValue } from '../database/database.ts';
import { DatabaseContent } from '../database/database-content.ts';
import { nameOfLocation } from '../database/location.ts';
import { databaseSchema, readSetting, storedType } from '../database/stored-types.ts';
import { areTokensWithheld, readWithheld } from '../database/withheld-tables.ts';
import type { LoadedAccess, LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { confirmsEmail, loadStrapiContent, type StrapiContent, userSetting } from '../strapi/strapi-content.ts';
import type { ComponentFile, StrapiProject } from './project-folder.ts';

/**
 * Returns the content of a project in a state of its database. Without `users`, their tables are not read. Throws a
 * SnapshotError if the schema does not fit the tables.
 */
export async function openProjectContent(
  database: Database,
  project: StrapiProject,
  users = true,
): Promise<DatabaseContent> {
  const { strapiVersion, privateAttributes, uploads } = project;
  const problems = new Problems();
  const components = project.components.flatMap(({ uid, name, path, definition, problem }) => {
    if (problem !== null) problems.add(path, problem);
    if (definition === null) return [];
    const value = { ...definition, uid, modelType: 'component', modelName: name };
    return storedType(value, path, problems) ?? [];
  });
  problems.throwIfAny();
  const uploadedFiles = async (names: ReadonlySet<string>) =>
    names.size > 0 && uploads !== null ? { kind: 'folder' as const, path: uploads, names } : null;
  const facts = { strapiVersion, components, privateAttributes, users, uploadedFiles };
  return DatabaseContent.open(database, facts, nameOfLocation(project.database));
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
  return {
    ...loaded,
    ...access,
    replacesFiles: true,
    warnings: [...loaded.warnings, ...(content.warnings ?? []), ...warnings],
  };
}

/** Throws a SnapshotError as `readApiTokens` does. */
export async function readProjectAccess(
  database: Database,
  { database: location, secrets }: StrapiProject,
): Promise<LoadedAccess> {
  const emailConfirmation = confirmsEmail(await readSetting(database, userSetting));
  return { apiTokens: await readApiTokens(database, nameOfLocation(location)), secrets, emailConfirmation };
}

/**
 * Reads the API tokens of a Strapi database in ascending order of id, without those for the admin panel. `location`
 * names the database in messages. Throws a SnapshotError if the tables do not fit, or a token expires at no date.
 */
export async function readApiTokens(database: Database, location: string): Promise<ApiToken[]> {
  const { dialect } = database;
  if (areTokensWithheld(await readWithheld(database))) return [];
  const permissions = await readPermissions(database);
  // before Strapi had tokens for the admin panel, there was no column
  const hasKind = await dialect.hasColumn(database, 'strapi_api_tokens', 'kind');
  const content = hasKind ? `WHERE kind IS NULL OR kind = 'content-api'` : '';
  const statement = `SELECT id, name, type, access_key, expires_at FROM strapi_api_tokens ${content} ORDER BY id`;
  return (await database.all(statement)).map(([id, name, type, accessKey, expiresAt]) =>
    apiTokenOf({
      name: String(name),
      type,
      actions: permissions.get(id) ?? [],
      accessKey: String(accessKey),
      expires: expiryOf(expiresAt, dialect, `${location}: strapi_api_tokens: the token ${JSON.stringify(name)}`),
    }),
  );
}

/** Returns the actions of tokens, by the ids of the tokens. */
async function readPermissions(database: Database): Promise<Map<DatabaseValue, string[]>> {
  const permissions = new Map<DatabaseValue, string[]>();
  const statement =
    'SELECT link.api_token_id, permission.action FROM strapi_api_token_permissions_token_lnk AS link ' +
    'JOIN strapi_api_token_permissions AS permission ON permission.id = link.api_token_permission_id ' +
    'ORDER BY permission.action';
  for (const [token, action] of await database.all(statement)) {
    mapAt(permissions, token, () => [] as string[]).push(String(action));
  }
  return permissions;
}

/** Returns the end of a token in milliseconds since 1970, or null if it has none. */
function expiryOf(value: DatabaseValue, dialect: DatabaseDialect, token: string): number | null {
  if (value === null) return null;
  const time = dialect.readTime(value);
  if (Number.isFinite(time)) return time;
  throw new SnapshotError([`${token} has an expires_at that is no date: ${JSON.stringify(String(value))}`]);
}

interface OpenedFrom {
  readonly project: StrapiProject;
  readonly schema: string | null;
  readonly users: boolean;
}

interface OpenedContent {
  readonly content: DatabaseContent;
  /** Why the components are not those of the files, for the log. Null if they are. */
  readonly warning: string | null;
}

/**
 * Opens the content of one project in one state of its database after the other. Strapi runs with the components that it has
 * read at its start, so files that do not fit the tables count from its next start on.
 */
export class FittingComponents {
  #fitting: readonly ComponentFile[] | null = null;
  /** What was opened last, of these files and this schema of the database. */
  #opened: (OpenedContent & OpenedFrom) | null = null;

  /**
   * Opens the content with the components of the files, or else with the last that did fit. Throws a SnapshotError if
   * neither fit the tables. `users` is as for `openProjectContent`.
   */
  async open(database: Database, project: StrapiProject, users = true): Promise<OpenedContent> {
    const schema = await databaseSchema(database);
    const last = this.#opened;
    if (schema === null || last?.project !== project || last.schema !== schema || last.users !== users) {
      this.#opened = { ...(await this.#open(database, project, users)), project, schema, users };
      return this.#opened;
    }
    const { content, warning } = last;
    return { content: content.over(database), warning };
  }

  async #open(database: Database, project: StrapiProject, users: boolean): Promise<OpenedContent> {
    try {
      const content = await openProjectContent(database, project, users);
      this.#checkComplete(content, project);
      this.#fitting = project.components;
      return { content, warning: null };
    } catch (error) {
      if (!(error instanceof SnapshotError) || !this.#fitting) throw error;
      const content = await this.#openWithEarlier(database, project, this.#fitting, users);
      if (!content) throw error;
      return { content, warning: `${stays}: ${error.problems[0]}` };
    }
  }

  /** Throws a SnapshotError if a component is gone that a type still has. A load would leave the attribute out. */
  #checkComplete({ types }: DatabaseContent, { components }: StrapiProject): void {
    const present = new Set(components.map(({ uid }) => uid));
    const gone = (this.#fitting ?? []).filter(({ uid }) => !present.has(uid));
    for (const { uid, path } of gone) {
      const user = types.find(({ attributes }) =>
        Object.values(attributes).some((each) => namesOf(each).includes(uid)),
      );
      if (user) throw new SnapshotError([`${path}: no such file, but ${user.uid} has the component`]);
    }
  }

  async #openWithEarlier(
    database: Database,
    project: StrapiProject,
    components: readonly ComponentFile[],
    users: boolean,
  ): Promise<DatabaseContent | null> {
    if (isDeepStrictEqual(components, project.components)) return null;
    try {
      return await openProjectContent(database, { ...project, components }, users);
    } catch (error) {
      if (error instanceof SnapshotError) return null;
      throw error;
    }
  }
}

/** Returns the components that an attribute may hold. */
function namesOf({ component, components }: AttributeDefinition): readonly unknown[] {
  return [component, ...(Array.isArray(components) ? components : [])];
}

const stays =
  'the files of the components do not fit the database, so the last ones that did are used until Strapi is started again';
