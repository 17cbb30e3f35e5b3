/** Strapi projects on SQLite that a real Strapi has filled and exported. test/strapi/projects makes them. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { temporaryFolder } from '../../support/folders.ts';

export const recordedProjects = ['museum', 'magazine', 'archive'] as const;

export type RecordedProject = (typeof recordedProjects)[number];

/** The export of a recorded project. */
export function exportOf(name: RecordedProject): string {
  return join(import.meta.dirname, name, 'export.tar.gz');
}

/** Returns a copy of the folder of a recorded project, with its database as Strapi left it. */
export function unpackProject(name: RecordedProject): string {
  const folder = join(temporaryFolder(), name);
  const recorded = join(import.meta.dirname, name);
  cpSync(recorded, folder, { recursive: true, filter: (path) => !path.endsWith('.gz') });
  mkdirSync(join(folder, '.tmp'));
  writeFileSync(databaseOf(folder), gunzipSync(readFileSync(join(recorded, 'data.db.gz'))));
  return folder;
}

/** The database of an unpacked project. */
export function databaseOf(folder: string): string {
  return join(folder, '.tmp', 'data.db');
}
