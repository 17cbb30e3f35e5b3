import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import { missingFromArchive, missingFromFolder, noneIfMissing } from './missing-files.ts';
import { type Archive, unpack } from './unpacking.ts';

export interface CopiedUploads {
  readonly files: number;
  /** Files that entries name and the snapshot does not have. */
  readonly warnings: readonly string[];
}

/**
 * Copies the uploaded files of a snapshot to a folder, and creates it. Unpacks those of an archive into the cache
 * first. Files that are in the folder already are replaced; others stay. Rejects with a system error, CacheError or
 * SnapshotError.
 */
export async function copyUploads(
  files: UploadedFiles,
  folder: string,
  cache: string | undefined,
): Promise<CopiedUploads> {
  await mkdir(folder, { recursive: true });
  const source = files.kind === 'archive' ? await unpackedFolder(files, cache) : files.path;
  const present = await filesIn(source);
  const names = present.filter((name) => files.names?.has(name) ?? !isHidden(name));
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await copyFile(join(source, name), join(folder, name), constants.COPYFILE_FICLONE);
  }
  return { files: names.length, warnings: warningsOf(files, new Set(names)) };
}

function warningsOf({ kind, names, path }: UploadedFiles, present: ReadonlySet<string>): string[] {
  if (!names) return [];
  return kind === 'archive' ? missingFromArchive(names, present) : missingFromFolder(names, present, path);
}

/**
 * Lists the files of a folder and its subfolders. A folder that is missing has none. Rejects with other system errors.
 */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(noneIfMissing);
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function isHidden(name: string): boolean {
  return name.split(sep).some((part) => part.startsWith('.'));
}

async function unpackedFolder(archive: Archive, cache: string | undefined): Promise<string> {
  let folder = '';
  await unpack(archive, cache, { started: (path) => void (folder = path), unpacked: () => {} });
  return folder;
}
