import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { UploadedFiles } from '../../load/uploaded-files.ts';
import { ConfigError, type Settings } from '../../model/settings/config.ts';
import { missingFromFolder, noneIfMissing } from './missing-files.ts';
import type { Archive } from './unpacking.ts';
import { type UnpackedFiles, Unpacking } from './unpacking.ts';
import { archiveUploads, cachingOf, folderUploads, redirectedUploads, type UploadsMiddleware } from './uploads.ts';

/** The uploads of a snapshot, ready to be mounted. */
export interface ServedUploads {
  readonly serve: UploadsMiddleware;
  /** Resolves with warnings when no more files will be unpacked. */
  readonly settled: Promise<string[]>;
  /** Removes the unpacked files when the requests for them have ended, unless others use them. */
  release(): Promise<void>;
}

type UploadSettings = Pick<Settings, 'uploads' | 'cacheDir' | 'uploadsMaxAge'>;

/** Throws a ConfigError if the setting `uploads` names a folder that does not exist. */
export async function checkUploads({ uploads }: UploadSettings): Promise<void> {
  if (typeof uploads !== 'string' || isHttpUrl(uploads)) return;
  const found = await stat(uploads).catch((error: Error) => error);
  if (found instanceof Error) throw new ConfigError(`uploads: ${uploads} cannot be read: ${found.message}`);
  if (!found.isDirectory()) throw new ConfigError(`uploads: ${uploads} is not a folder`);
}

/** Begins to unpack an archive into the cache folder, or the one of the setting `cacheDir`. */
export type Unpack = (archive: Archive, cacheDir: string | undefined) => UnpackedFiles;

/**
 * Opens the uploads of the setting or else of the snapshot (`files`). `replacesFiles` is that of the snapshot. Returns
 * null if uploads are turned off.
 */
export function openUploads(
  { uploads, cacheDir, uploadsMaxAge }: UploadSettings,
  files: UploadedFiles | null,
  replacesFiles = false,
  unpack: Unpack = (archive, cache) => new Unpacking(archive, cache),
): ServedUploads | null {
  const caching = cachingOf(uploadsMaxAge, replacesFiles);
  if (typeof uploads === 'string') {
    return withoutCleanUp(isHttpUrl(uploads) ? redirectedUploads(uploads) : folderUploads(uploads, null, caching));
  }
  if (!uploads) return null;
  if (!files) return withoutCleanUp((_request, _response, next) => next());
  if (files.kind === 'folder')
    return withoutCleanUp(folderUploads(files.path, files.names, caching), folderWarnings(files));
  const unpacking = unpack(files, cacheDir);
  const requests = new RequestsInProgress();
  const serve = archiveUploads(unpacking, caching);
  return {
    serve: (request, response, next) => {
      requests.add(response);
      return serve(request, response, next);
    },
    settled: unpacking.settled,
    release: () => requests.ended().then(() => unpacking.release()),
  };
}

/** Wraps middleware that needs no clean-up. */
function withoutCleanUp(serve: UploadsMiddleware, settled: Promise<string[]> = Promise.resolve([])): ServedUploads {
  return { serve, settled, release: async () => {} };
}

async function folderWarnings({ path, names }: UploadedFiles): Promise<string[]> {
  if (!names) return [];
  try {
    const there: string[] = await readdir(path).catch(noneIfMissing);
    return missingFromFolder(names, new Set(there.filter((name) => names.has(name))), path);
  } catch (error) {
    return [`the folder of uploaded files cannot be read: ${(error as Error).message}`];
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The requests that have not been answered yet. */
export class RequestsInProgress {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Resolves when those that are open now have been answered or given up. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#responses, (response) => once(response, 'close').catch(() => {})));
  }
}
