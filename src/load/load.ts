import { readdir, stat } from 'node:fs/promises';
import { SnapshotError } from '../base/errors.ts';
import { Problems } from '../base/problems.ts';
import { filesBelow, stampOf } from './files.ts';
import { loadJsonSnapshot } from './json/json-snapshot.ts';
import { type JsonSnapshot, sourceOfFolder, sourceOfObject } from './json/json-source.ts';
import { sourceOfFile } from './json/one-file.ts';
import type { LoadedSnapshot, LoadOptions } from './loaded.ts';
import { loadStrapiExport } from './strapi/strapi-export.ts';

/**
 * Loads a snapshot: a JSON snapshot's folder, file or object, or a Strapi export's archive or folder. Which of them a
 * path is shows in what it holds. Throws a SnapshotError that lists what is wrong; nothing is ever served in part.
 */
export async function loadSnapshot(source: string | JsonSnapshot, options: LoadOptions = {}): Promise<LoadedSnapshot> {
  if (typeof source !== 'string') return loadJsonSnapshot(sourceOfObject(source), jsonProblems(options), options);
  try {
    return await loadPath(source, options);
  } catch (error) {
    const { syscall, path = source, message } = error as NodeJS.ErrnoException;
    // what the system refuses; anything else is a mistake of the program
    if (syscall === undefined) throw error;
    throw new SnapshotError([`${path}: cannot be read: ${message}`]);
  }
}

/** What a person writes has mistakes that are to be mended. */
function jsonProblems({ tolerance = 'strict' }: LoadOptions): Problems {
  return new Problems(tolerance);
}

/** An export comes from a Strapi that runs with it, whatever is wrong in it. */
function exportProblems({ tolerance = 'tolerant' }: LoadOptions): Problems {
  return new Problems(tolerance);
}

async function loadPath(source: string, options: LoadOptions): Promise<LoadedSnapshot> {
  const before = await stampOf(source);
  const found = await stat(source);
  const isFolder = found.isDirectory();
  // to open a named pipe would wait for ever
  if (!isFolder && !found.isFile()) throw new SnapshotError([`${source}: neither a file nor a folder`]);
  if (source.endsWith('.enc')) {
    throw new SnapshotError([`${source}: the export is encrypted; write it with "strapi export --no-encrypt"`]);
  }
  if (isFolder && !(await holdsExport(source))) {
    const problems = jsonProblems(options);
    return loadJsonSnapshot(await sourceOfFolder(source, problems), problems, options);
  }
  if (!isFolder && /\.json$/i.test(source)) {
    const problems = jsonProblems(options);
    return loadJsonSnapshot(await sourceOfFile(source, problems), problems, options);
  }
  const loaded = await loadStrapiExport(source, exportProblems(options), options);
  // an archive is read several times: what came of two would be neither
  if (!isFolder && (await stampOf(source)) !== before) {
    throw new SnapshotError([`${source}: changed while it was read`]);
  }
  return loaded;
}

/** Whether a folder is an unpacked export, or holds one in a folder of its own. */
async function holdsExport(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  if (names.includes('schemas') || names.includes('content-types')) return names.includes('schemas');
  const { files } = await filesBelow(folder);
  return files.some((name) => /\/schemas\/[^/]+\.jsonl$/.test(name));
}
