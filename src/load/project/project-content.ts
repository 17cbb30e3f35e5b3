/** The content of a Strapi project in a copy of its database. */
import type { Problems } from '../../base/problems.ts';
import type { StrapiProject } from '../../strapi-project/project-folder.ts';
import type { Database } from '../database/database.ts';
import { DatabaseContent } from '../database/database-content.ts';
import { storedType } from '../database/stored-schemas.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { loadStrapiContent, type StrapiContent } from '../strapi/strapi-content.ts';

/**
 * Returns the content of a project in a copy of its database. Throws a SnapshotError if the schema does not fit the
 * tables.
 */
export function openProjectContent(database: Database, project: StrapiProject, problems: Problems): DatabaseContent {
  const { strapiVersion, databaseFile, privateAttributes, uploads } = project;
  const components = project.components.flatMap(({ uid, name, path, definition }) => {
    const value = { ...definition, uid, modelType: 'component', modelName: name };
    return storedType(value, path, problems) ?? [];
  });
  problems.throwIfAny();
  const uploadedFiles = async (names: ReadonlySet<string>) =>
    names.size > 0 ? { kind: 'folder' as const, path: uploads, names } : null;
  const surroundings = { strapiVersion, components, privateAttributes, uploadedFiles };
  return DatabaseContent.open(database, surroundings, databaseFile);
}

/** Loads what `openProjectContent` has returned, with the API tokens and the secrets of the project. */
export async function loadProjectContent(
  content: StrapiContent & Pick<DatabaseContent, 'apiTokens'>,
  { folder, secrets, warnings }: StrapiProject,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const loaded = await loadStrapiContent(content, folder, problems, options);
  return { ...loaded, apiTokens: content.apiTokens(), secrets, warnings: [...loaded.warnings, ...warnings] };
}
