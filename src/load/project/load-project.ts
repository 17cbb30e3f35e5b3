/** Loads the content of a Strapi project from its folder. */
import type { Problems } from '../../base/problems.ts';
import { readStrapiProject, type StrapiProject } from '../../strapi-project/project-folder.ts';
import { copyDatabase } from '../database/copy-database.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { DatabaseContent } from '../database/database-content.ts';
import { storedType } from '../database/stored-schemas.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { loadStrapiContent } from '../strapi/strapi-content.ts';
import { withCopyFolder } from './copy-folder.ts';

/** Loads a project from a copy of its database, which is removed afterwards. No code of the project is run. */
export async function loadProject(folder: string, problems: Problems, options: LoadOptions): Promise<LoadedSnapshot> {
  const project = await readStrapiProject(folder);
  return withCopyFolder(async (work) => {
    const copy = await copyDatabase(project.databaseFile, work);
    const database = await openDatabase(copy.path, project.databaseFile);
    try {
      const content = openProjectContent(database, project, problems);
      return await loadProjectContent(content, project, problems, options);
    } finally {
      database.close();
    }
  });
}

/** Loads what `openProjectContent` has returned, with the API tokens and the secrets of the project. */
export async function loadProjectContent(
  content: DatabaseContent,
  { folder, secrets, warnings }: StrapiProject,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const loaded = await loadStrapiContent(content, folder, problems, options);
  return { ...loaded, apiTokens: content.apiTokens(), secrets, warnings: [...loaded.warnings, ...warnings] };
}

/** Loads what `openProjectContent` has returned, with the API tokens and the secrets of the project. */
export async function loadProjectContent(
  content: DatabaseContent,
  { folder, secrets, warnings }: StrapiProject,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const loaded = await loadStrapiContent(content, folder, problems, options);
  return { ...loaded, apiTokens: content.apiTokens(), secrets, warnings: [...loaded.warnings, ...warnings] };
}

/**
 * Returns the content of a project in a copy of its database. Throws a SnapshotError if the schema does not fit the
 * tables.
 */
export function openProjectContent(database: Database, project: StrapiProject, problems: Problems): DatabaseContent {
  const { strapiVersion, databaseFile, uploads } = project;
  const components = project.components.flatMap(({ uid, name, path, definition }) => {
    const value = { ...definition, uid, modelType: 'component', modelName: name };
    return storedType(value, path, problems) ?? [];
  });
  problems.throwIfAny();
  const uploadedFiles = async (names: ReadonlySet<string>) =>
    names.size > 0 ? { kind: 'folder' as const, path: uploads, names } : null;
  return DatabaseContent.open(database, { strapiVersion, components, uploadedFiles }, databaseFile);
}
