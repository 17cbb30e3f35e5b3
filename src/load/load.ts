import { readdir, realpath, stat } from 'node:fs/promises';
import { SnapshotError } from '../core/errors.ts';
import { Problems } from '../core/problems.ts';
import { prepareDigests } from '../store/writer/rows/row-digest.ts';
import { createStateOpener } from './database/create-state-opener.ts';
import { asSnapshotError, checkUnchanged, fileSignature, listFiles } from './files.ts';
import { loadImage } from './image/load-image.ts';
import { isImage } from './image/read-image.ts';
import { loadJsonSnapshot } from './json/json-snapshot.ts';
import { holdsStrapi, type JsonSnapshot, sourceOfFolder, sourceOfObject } from './json/json-source.ts';
import { sourceOfFile } from './json/one-file.ts';
import { defaultTolerance, type LoadedSnapshot, type LoadOptions } from './loaded.ts';
import { loadProjectContent, openProjectContent, readProjectAccess } from './project/project-content.ts';
import { isStrapiProject, readStrapiProject } from './project/project-folder.ts';
import { loadStrapiExport } from './strapi/strapi-export.ts';

/**
 * Loads a JSON snapshot from a folder, file or object, a Strapi export from an archive or folder, the content of a
 * Strapi project from its folder, or an image. Detects the format of a path by its content. Throws a SnapshotError that
 * lists the problems. Never loads a part of a snapshot.
 */
export async function loadSnapshot(source: string | JsonSnapshot, options: LoadOptions = {}): Promise<LoadedSnapshot> {
  await prepareDigests();
  if (typeof source !== 'string') return loadJsonSnapshot(sourceOfObject(source), problemsOf('json', options), options);
  try {
    return await loadPath(source, options);
  } catch (error) {
    throw asSnapshotError(error, source);
  }
}

function problemsOf(kind: LoadedSnapshot['kind'], { tolerance = defaultTolerance(kind) }: LoadOptions): Problems {
  return new Problems(tolerance);
}

async function loadPath(source: string, options: LoadOptions): Promise<LoadedSnapshot> {
  const before = await fileSignature(source);
  const found = await stat(source);
  const isFolder = found.isDirectory();
  // opening a named pipe would block forever
  if (!isFolder && !found.isFile()) throw new SnapshotError([`${source}: neither a file nor a folder`]);
  if (!isFolder && (await isImage(source))) return loadImage(source, options);
  if (source.endsWith('.enc')) {
    throw new SnapshotError([`${source}: the export is encrypted; write it with "strapi export --no-encrypt"`]);
  }
  if (isFolder && (await isStrapiProject(source))) return loadProject(source, problemsOf('strapi', options), options);
  if (isFolder && !(await holdsExport(source))) {
    const problems = problemsOf((await holdsStrapi(source)) ? 'strapi' : 'json', options);
    return loadJsonSnapshot(await sourceOfFolder(source, problems), problems, options);
  }
  // a link such as `snapshot` need not end like the file that it names
  if (!isFolder && (isJsonName(source) || isJsonName(await realpath(source)))) {
    const problems = problemsOf('json', options);
    return loadJsonSnapshot(await sourceOfFile(source, problems), problems, options);
  }
  const loaded = await loadStrapiExport(source, problemsOf('strapi', options), options);
  // an archive is read several times, and all reads must see the same file
  if (!isFolder) await checkUnchanged(source, before);
  return loaded;
}

function isJsonName(path: string): boolean {
  return /\.json$/i.test(path);
}

/** Whether a folder is an unpacked export or contains one in a subfolder. */
async function holdsExport(folder: string): Promise<boolean> {
  const names = await readdir(folder);
  if (names.includes('schemas') || names.includes('content-types')) return names.includes('schemas');
  const { files } = await listFiles(folder);
  return files.some((name) => /\/schemas\/[^/]+\.jsonl$/.test(name));
}

/** Loads a project from one state of its database. No code of the project is run. */
async function loadProject(folder: string, problems: Problems, options: LoadOptions): Promise<LoadedSnapshot> {
  const project = await readStrapiProject(folder);
  const states = createStateOpener(project.database);
  try {
    const state = await states.open();
    try {
      const content = await openProjectContent(state.database, project, options.users);
      const access = await readProjectAccess(state.database, project);
      const staged = await state.stage?.(content);
      return await loadProjectContent(staged?.content ?? content, access, project, problems, options);
    } finally {
      await state.close();
    }
  } finally {
    await states.close();
  }
}
