import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOfEnvironment } from '../../load/database/environment-database.ts';
import { ProjectFiles, type ProjectInput } from '../../load/project/project-files.ts';
import { readProjectSecrets } from '../../load/project/project-settings.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';
import { secretsOfEnvironment } from '../environment-secrets.ts';
import type { DatabaseSource, ProjectSource } from '../source-reader.ts';
import { TypedDatabase } from './typed-database.ts';

/** Returns what says how the content of a database is served. Throws a SnapshotError if DATABASE_URL names no database. */
export function createProjectInput(source: ProjectSource | DatabaseSource): ProjectInput {
  if (source.kind === 'project') return new ProjectFiles(source.folder);
  const database = databaseOfEnvironment(process.env);
  return isProject(source.types) ? new ProjectFiles(source.types, database) : new TypedDatabase(database, source);
}

/** Reads the secrets of a source without its database. Rejects with a SnapshotError if a file cannot be parsed. */
export async function readSecrets(source: ProjectSource | DatabaseSource): Promise<SignInSecrets> {
  if (source.kind === 'project') return readProjectSecrets(source.folder);
  return isProject(source.types) ? readProjectSecrets(source.types) : secretsOfEnvironment(process.env);
}

/** An export has no such file. */
function isProject(types: string): boolean {
  return existsSync(join(types, 'package.json'));
}
