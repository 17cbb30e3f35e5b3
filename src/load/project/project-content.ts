/** The content of a Strapi project in a copy of its database. */
import { Problems } from '../../core/problems.ts';
import type { Database } from '../database/database.ts';
import { DatabaseContent } from '../database/database-content.ts';
import { readApiTokens } from '../database/read-tokens.ts';
import { readSetting, storedType } from '../database/stored-schemas.ts';
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
