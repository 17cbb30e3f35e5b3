/** Keeps the last good content of a source as an image in the cache folder, for starts while the source is away. */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type WriteCompacted, writeCompactedInThread } from '../changes/compact/compact-in-thread.ts';
import { backOff } from '../core/back-off.ts';
import { targetOfTemporary, writeAtomically } from '../core/write-file.ts';
import { cacheFolder, cacheSubfolder } from '../http/files/cache-folder.ts';
import { loadSnapshot } from '../load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../load/loaded.ts';
import type { UploadedFiles } from '../load/uploaded-files.ts';
import type { SignInSecrets } from '../model/access/definitions.ts';

/** Facts about content that its image lacks. */
const factsSchema = z.strictObject({
  /** When the source was read, in milliseconds since 1970. */
  readAt: z.number(),
  /** The folder of the uploaded files; null if there is none. */
  uploads: z.string().nullable(),
});

/** Content that an earlier process has read. */
export interface CachedContent {
  readonly loaded: LoadedSnapshot;
  readonly readAt: number;
}

/** Content to cache. `version` differs for other content. */
export interface KeptContent {
  readonly loaded: LoadedSnapshot;
  readonly version: string;
  readonly readAt: number;
}

export interface CacheOptions {
  readonly cacheDir: string;
  /** Identifies the source and its settings. Must not hold a secret. */
  readonly key: string;
  /** Reads the secrets of the source, which are never cached. Default: it has none. */
  readonly secrets?: () => Promise<SignInSecrets>;
  readonly log: Logger;
  /** Minimum time between two images, in milliseconds. Default: 5 minutes. */
  readonly interval?: number;
  readonly write?: WriteCompacted;
}

/** Keeps content for starts while its source is away. */
export interface ContentCache {
  /** Returns the cached content, or null. Logs why it cannot be read. */
  load(options: LoadOptions): Promise<CachedContent | null>;
  /** The served content came from the cache and has this version, so it need not be written. */
  setWritten(version: string): void;
  /** Other content is served. With `isUrgent`, the cached one may not be served any more. */
  changed(content: () => KeptContent, isUrgent?: boolean): void;
  close(): Promise<void>;
}

const defaultInterval = 5 * 60_000;
/** Milliseconds before a write that has failed is tried again. Later pauses grow up to the interval. */
const firstRetry = 1000;

export class SourceCache implements ContentCache {
  readonly #options: CacheOptions;
  readonly #end = new AbortController();
  /** The version on disk; null if it is not known. */
  #version: string | null = null;
  /** Returns the content to write next; null if there is none. */
  #content: (() => KeptContent) | null = null;
  #isUrgent = false;
  /** Writes that have failed in a row, and the reason of the last failure. */
  #failures = 0;
  #problem: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  async load(options: LoadOptions): Promise<CachedContent | null> {
    try {
      const path = await this.#path();
      const facts = factsSchema.parse(JSON.parse(await readFile(factsBeside(path), 'utf8')));
      const loaded = await loadSnapshot(path, options);
      const uploadedFiles = filesIn(facts.uploads, loaded);
      const secrets = await this.#readSecrets();
      return { loaded: { ...loaded, uploadedFiles, replacesFiles: true, secrets }, readAt: facts.readAt };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') this.#options.log.warn(`the cached content cannot be used: ${message}`);
      return null;
    }
  }

  async #readSecrets(): Promise<SignInSecrets | null> {
    const { secrets, log } = this.#options;
    try {
      return secrets ? await secrets() : null;
    } catch (error) {
      log.warn(`tokens and JWTs of the project are rejected until it is read: ${(error as Error).message}`);
      return null;
    }
  }

  setWritten(version: string): void {
    this.#version = version;
  }

  /**
   * Writes the content soon, or at once if it is urgent, unless the image has its version already. `content` is called
   * when the write begins.
   */
  changed(content: () => KeptContent, isUrgent = false): void {
    this.#content = content;
    this.#isUrgent ||= isUrgent;
    if (this.#writing || this.#end.signal.aborted || (this.#timer && !isUrgent)) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#write();
  }

  async close(): Promise<void> {
    this.#end.abort();
    if (this.#timer) clearTimeout(this.#timer);
    await this.#writing;
  }

  #write(): void {
    const taken = this.#content!;
    const content = taken();
    this.#content = null;
    this.#isUrgent = false;
    if (content.version === this.#version) return;
    this.#writing = this.#writeImage(content).then((isWritten) => {
      this.#writing = null;
      if (this.#end.signal.aborted) return;
      // an image with a deleted token must not stay because a disk was full
      if (!isWritten) this.#content ??= taken;
      this.#failures = isWritten ? 0 : this.#failures + 1;
      if (this.#isUrgent && isWritten) return this.#write();
      const interval = this.#options.interval ?? defaultInterval;
      const pause = isWritten ? interval : backOff(this.#failures, { first: firstRetry, last: interval });
      this.#timer = setTimeout(() => {
        this.#timer = null;
        if (this.#content) this.#write();
      }, pause).unref();
    });
  }

  /** Returns whether the image is written. Logs why it is not. */
  async #writeImage({ loaded, version, readAt }: KeptContent): Promise<boolean> {
    const { log, write = writeCompactedInThread } = this.#options;
    try {
      const path = await this.#path();
      const bytes = await write(path, loaded, this.#end.signal);
      const { uploadedFiles } = loaded;
      const facts = { readAt, uploads: uploadedFiles?.kind === 'folder' ? uploadedFiles.path : null };
      await writeAtomically(factsBeside(path), [Buffer.from(JSON.stringify(facts))]);
      this.#version = version;
      this.#problem = null;
      log.debug({ path, bytes }, 'the content is kept in the cache');
      return true;
    } catch (error) {
      this.#version = null;
      if (this.#end.signal.aborted) await this.#removeUnfinished().catch(() => {});
      else this.#logFailure((error as Error).message);
      return false;
    }
  }

  #logFailure(problem: string): void {
    if (problem !== this.#problem) this.#options.log.warn(`the content is not kept in the cache: ${problem}`);
    this.#problem = problem;
  }

  /** Removes the image that a thread was writing when it was ended. */
  async #removeUnfinished(): Promise<void> {
    const path = await this.#path();
    const folder = dirname(path);
    for (const name of await readdir(folder)) {
      const isOwn = name.startsWith(`.${basename(path)}.${process.pid}-`) && targetOfTemporary(name) === basename(path);
      if (isOwn) await rm(join(folder, name), { force: true });
    }
  }

  #path(): Promise<string> {
    const { cacheDir, key } = this.#options;
    return pathIn(cacheDir, key);
  }
}

/** Removes what a cache with this folder and key has kept. Rejects with a CacheError or a system error. */
export async function removeCached(cacheDir: string, key: string): Promise<void> {
  const path = await pathIn(cacheDir, key);
  const own = [path, factsBeside(path)].map((file) => basename(file));
  for (const name of await readdir(dirname(path))) {
    // a process that was killed leaves what it was writing
    if (own.includes(targetOfTemporary(name) ?? name)) await rm(join(dirname(path), name), { force: true });
  }
}

async function pathIn(cacheDir: string, key: string): Promise<string> {
  const folder = await cacheSubfolder(await cacheFolder(cacheDir), 'sources');
  return join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.lectern`);
}

function factsBeside(image: string): string {
  return `${image}.json`;
}

/** Returns the uploaded files in their own folder. An image looks for them beside itself. */
function filesIn(folder: string | null, { uploadedFiles }: LoadedSnapshot): UploadedFiles | null {
  if (folder === null || uploadedFiles?.kind !== 'folder') return null;
  return { ...uploadedFiles, path: folder };
}
