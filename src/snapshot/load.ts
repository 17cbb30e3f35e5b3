import { readdir, stat } from 'node:fs/promises';
import { SnapshotError } from '../errors.ts';
import { Problems } from '../problems.ts';
import { loadJsonSnapshot } from './json-snapshot.ts';
import { type JsonSnapshot, sourceOfFolder, sourceOfObject } from './json-source.ts';
import type { LoadedSnapshot, LoadOptions } from './loaded.ts';
import { loadStrapiExport } from './strapi-export.ts';

/**
 * Loads a snapshot: a JSON snapshot's folder or object, or a Strapi export's archive or folder; which of them a path
 * is shows in what it holds. Throws a SnapshotError that lists what is wrong; nothing is ever served in part.
 */
export async function loadSnapshot(source: string | JsonSnapshot, options: LoadOptions): Promise<LoadedSnapshot> {
  const problems = new Problems();
  if (typeof source !== 'string') return loadJsonSnapshot(sourceOfObject(source), problems, options);
  let isFolder: boolean;
  try {
    isFolder = (await stat(source)).isDirectory();
  } catch (error) {
    throw new SnapshotError([`${source}: cannot be read: ${(error as Error).message}`]);
  }
  if (source.endsWith('.enc')) {
    throw new SnapshotError([`${source}: the export is encrypted; write it with "strapi export --no-encrypt"`]);
  }
  if (!isFolder || (await readdir(source)).includes('schemas')) return loadStrapiExport(source, problems, options);
  return loadJsonSnapshot(await sourceOfFolder(source, problems), problems, options);
}
