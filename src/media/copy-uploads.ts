import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadedFiles } from '../load/strapi/uploaded-files.ts';
import { missingWarnings } from './unpacking.ts';
import { unpack } from './unpack.ts';

export interface CopiedUploads {
  readonly files: number;
  /** Files that entries name and the snapshot does not have. */
  readonly warnings: readonly string[];
}

/**
 * Copies the uploaded files of a snapshot to a folder, and creates it. Unpacks those of an archive into the cache first.
 * Files that are in the folder already are replaced; others stay. Rejects with a system error, CacheError or SnapshotError.
 */
export async function copyUploads(
  files: UploadedFiles,
  folder: string,
  cache: string | undefined,
): Promise<CopiedUploads> {
  const source = files.kind === 'folder' ? await listed(files.path) : await unpacked(files, cache);
  const names = source.names.filter((name) => files.names?.has(name) ?? !name.startsWith('.'));
  await mkdir(folder, { recursive: true });
  for (const name of names) await copyFile(join(source.folder, name), join(folder, name), constants.COPYFILE_FICLONE);
  const warnings = files.names ? missingWarnings(files.names, new Set(names)) : [];
  return { files: names.length, warnings };
}

interface SourceFolder {
  readonly folder: string;
  readonly names: readonly string[];
}

async function listed(folder: string): Promise<SourceFolder> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return { folder, names: entries.filter((entry) => entry.isFile()).map(({ name }) => name) };
}

async function unpacked(
  archive: UploadedFiles & { kind: 'archive' },
  cache: string | undefined,
): Promise<SourceFolder> {
  let folder = '';
  const names: string[] = [];
  await unpack(archive, cache, {
    started: (path) => void (folder = path),
    unpacked: (name) => void names.push(name),
  });
  return { folder, names };
}
