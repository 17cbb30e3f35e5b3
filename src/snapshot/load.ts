import { readdir, stat } from 'node:fs/promises';
import { SnapshotError } from '../errors.ts';
import { Problems } from '../problems.ts';
import { stampOf } from './files.ts';
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
  try {
    return await loadPath(source, problems, options);
  } catch (error) {
    const { syscall, path = source, message } = error as NodeJS.ErrnoException;
    // what the system refuses; anything else is a mistake of the program
    if (syscall === undefined) throw error;
    throw new SnapshotError([`${path}: cannot be read: ${message}`]);
  }
}

async function loadPath(source: string, problems: Problems, options: LoadOptions): Promise<LoadedSnapshot> {
  const before = await stampOf(source);
  const isFolder = (await stat(source)).isDirectory();
  if (source.endsWith('.enc')) {
    throw new SnapshotError([`${source}: the export is encrypted; write it with "strapi export --no-encrypt"`]);
  }
  if (isFolder && !(await readdir(source)).includes('schemas')) {
    return loadJsonSnapshot(await sourceOfFolder(source, problems), problems, options);
  }
  const loaded = await loadStrapiExport(source, problems, options);
  // an archive is read several times: what came of two would be neither
  if (!isFolder && (await stampOf(source)) !== before) {
    throw new SnapshotError([`${source}: changed while it was read`]);
  }
  return loaded;
}
