import { readdir, stat } from 'node:fs/promises';
import { ConfigError, type Settings } from '../config/config.ts';
import type { UploadedFiles } from '../load/uploaded-files.ts';
import { missingWarnings, noneIfMissing, Unpacking } from './unpacking.ts';
import { archiveUploads, folderUploads, redirectedUploads, type Uploads } from './uploads.ts';

/** The uploads of a snapshot, ready to be mounted. */
export interface OpenUploads {
  readonly serve: Uploads;
  /** Resolves with warnings when no more files will be unpacked. */
  readonly settled: Promise<string[]>;
}

type UploadSettings = Pick<Settings, 'uploads' | 'cacheDir' | 'uploadsMaxAge'>;

/** Throws a ConfigError if the setting `uploads` names a folder that does not exist. */
export async function checkUploads({ uploads }: UploadSettings): Promise<void> {
  if (typeof uploads !== 'string' || isHttpUrl(uploads)) return;
  const found = await stat(uploads).catch((error: Error) => error);
  if (found instanceof Error) throw new ConfigError(`uploads: ${uploads} cannot be read: ${found.message}`);
  if (!found.isDirectory()) throw new ConfigError(`uploads: ${uploads} is not a folder`);
}

/** Opens the uploads of the setting or else of the snapshot (`files`). Returns null if uploads are turned off. */
export async function openUploads(settings: UploadSettings, files: UploadedFiles | null): Promise<OpenUploads | null> {
  const { uploads, cacheDir, uploadsMaxAge: maxAge } = settings;
  const settled: Promise<string[]> = Promise.resolve([]);
  if (typeof uploads === 'string') {
    const serve = isHttpUrl(uploads) ? redirectedUploads(uploads) : folderUploads(uploads, null, maxAge);
    return { serve, settled };
  }
  if (!uploads) return null;
  if (!files) return { serve: (_request, _response, next) => next(), settled };
  if (files.kind === 'archive') {
    const unpacking = new Unpacking(files, cacheDir);
    return { serve: archiveUploads(unpacking, maxAge), settled: unpacking.settled };
  }
  return { serve: folderUploads(files.path, files.names, maxAge), settled: folderWarnings(files) };
}

async function folderWarnings({ path, names }: UploadedFiles): Promise<string[]> {
  if (!names) return [];
  try {
    const there: string[] = await readdir(path).catch(noneIfMissing);
    return missingWarnings(names, new Set(there.filter((name) => names.has(name))));
  } catch (error) {
    return [`the folder of uploaded files cannot be read: ${(error as Error).message}`];
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
