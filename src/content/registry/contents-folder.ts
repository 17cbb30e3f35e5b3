import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { runInTurns } from '../../core/steps.ts';
import { writeAtomically } from '../../core/write-file.ts';
import { describeLaterFormat } from '../../core/written-format.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { firstVersion } from '../../store/content-version.ts';
import { keptChanges, refuseConditions } from '../previews/kept-changes.ts';
import { type PreviewChanges, packChangesInSteps, readPreviewChangesInSteps } from '../previews/preview-changes.ts';
import { type PreviewSource, type PutContent, putContent } from './put-content.ts';

/** The subfolder for what this class writes. Loading a folder skips names that begin with a dot. */
const ownName = '.lectern';
const manifestName = 'contents.json';
const extensions = { snapshot: '.snapshot', changes: '.changes' };

type StoredSnapshot = Pick<PutContent, 'snapshot' | 'isUploaded'>;

const currentFormat = 1;

const manifestSchema = z.strictObject({ format: z.literal(currentFormat), contents: z.array(putContent) });

/**
 * The folder of the setting `contents.folder`. It holds snapshots that can be put by their paths, and in `.lectern` the
 * snapshots that were sent and a manifest of all that was put. One process may use it at a time.
 */
export class ContentsFolder {
  readonly #path: string;
  readonly #own: string;

  private constructor(path: string) {
    this.#path = path;
    this.#own = join(path, ownName);
  }

  /** Throws a ConfigError if the folder does not exist or cannot be written. */
  static async open(path: string): Promise<ContentsFolder> {
    try {
      const folder = new ContentsFolder(await realpath(path));
      await mkdir(folder.#own, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      return folder;
    } catch (error) {
      throw new ConfigError(`contents.folder: ${path} cannot be used: ${(error as Error).message}`);
    }
  }

  /**
   * Returns the path at which a snapshot can be loaded. Throws a ValidationError for a path that leads out of the
   * folder or to nothing.
   */
  async locate({ snapshot, isUploaded }: StoredSnapshot): Promise<string> {
    if (isUploaded) return join(this.#path, snapshot);
    const refuse = (reason: string) =>
      new ValidationError(`snapshot: ${JSON.stringify(snapshot)} ${reason} contents.folder`, { path: ['snapshot'] });
    if (snapshot.includes('\0') || isAbsolute(snapshot) || snapshot.split(/[/\\]/).includes('..')) {
      throw refuse('must be a relative path below');
    }
    const found = await realpath(join(this.#path, snapshot)).catch(() => null);
    if (found === null) throw refuse('does not exist in');
    const path = relative(this.#path, found);
    const [first] = path.split(sep);
    if (first === '..' || isAbsolute(path)) throw refuse('is a link out of');
    if (first === ownName) throw refuse('belongs to Lectern in');
    return found;
  }

  /**
   * Writes a snapshot that is being sent, and returns its path relative to this folder. It is removed at the next start
   * unless the manifest names it. Leaves nothing behind if it is cut off. Throws a RequestError with status 400 for an
   * empty one, and 413 for one of more than `maxBytes` bytes.
   */
  async receive(name: string, body: Readable, maxBytes: number): Promise<string> {
    const snapshot = ownPath(name, 'snapshot');
    await writeAtomically(join(this.#path, snapshot), limited(body, maxBytes));
    return snapshot;
  }

  /** Writes the changes of a new preview, as `receive` does a snapshot. */
  async addChanges(name: string, changes: PreviewChanges): Promise<string> {
    const snapshot = ownPath(name, 'changes');
    await this.writeChanges({ snapshot }, changes);
    return snapshot;
  }

  /** Replaces the changes of a preview by others, or leaves them as they are if that fails. */
  async writeChanges({ snapshot }: Pick<StoredSnapshot, 'snapshot'>, { bytes }: PreviewChanges): Promise<void> {
    await writeAtomically(join(this.#path, snapshot), [bytes]);
  }

  /** Throws an Error if the file is missing or damaged. */
  async readChanges({ snapshot }: Pick<StoredSnapshot, 'snapshot'>): Promise<PreviewChanges> {
    const path = join(this.#path, snapshot);
    try {
      return await runInTurns(readPreviewChangesInSteps(await readFile(path)));
    } catch (error) {
      throw new Error(`the changes of the preview in ${path} cannot be read: ${(error as Error).message}`);
    }
  }

  /** Removes a snapshot that was sent, or the changes of a preview. */
  async remove({ snapshot, isUploaded }: StoredSnapshot): Promise<void> {
    if (isUploaded) await rm(join(this.#path, snapshot), { force: true });
  }

  /** Removes snapshots and changes that were sent and are not in the list, and temporary files. */
  async removeOthers(kept: readonly PutContent[]): Promise<void> {
    const names = new Set(kept.map(({ snapshot }) => snapshot));
    for (const name of await readdir(this.#own)) {
      const path = join(ownName, name);
      const isTemporary = name.startsWith('.');
      const isOwn = Object.values(extensions).some((extension) => name.endsWith(extension));
      if (isTemporary || (isOwn && !names.has(path))) {
        await this.remove({ snapshot: path, isUploaded: true });
      }
    }
  }

  /** Throws a ConfigError if the manifest is damaged or of a later format. */
  async readManifest(): Promise<PutContent[]> {
    const path = join(this.#own, manifestName);
    try {
      const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
      const later = describeLaterFormat(isPlainObject(manifest) && manifest.format, currentFormat);
      if (later) throw new ConfigError(`contents.folder: ${path} ${later}`);
      return manifestSchema.parse(manifest).contents;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
      throw new ConfigError(
        `contents.folder: ${path} cannot be read: ${reason}. Remove it to start without these contents`,
      );
    }
  }

  /** Puts the manifest on disk. */
  async writeManifest(contents: readonly PutContent[]): Promise<void> {
    const text = `${JSON.stringify({ format: currentFormat, contents }, null, 2)}\n`;
    await writeAtomically(join(this.#own, manifestName), [Buffer.from(text)]);
  }
}

/** Returns the path of a new file below the folder. */
function ownPath(name: string, kind: keyof typeof extensions): string {
  return join(ownName, `${name}.${randomUUID()}${extensions[kind]}`);
}

async function* limited(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      const message = `The body takes more than ${maxBytes} bytes (contents.uploadBytes)`;
      throw new RequestError(413, 'PayloadTooLargeError', message, {
        limit: maxBytes,
        setting: 'contents.uploadBytes',
      });
    }
    yield chunk;
  }
  if (bytes === 0) throw new ValidationError('The body is empty: send an export or a prebuilt image');
}

/** What is put: a snapshot by its path below the folder or as bytes that are being sent, or changes to another content. */
export type PutSource =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'body'; readonly body: Readable }
  | { readonly kind: 'preview'; readonly preview: Omit<PreviewSource, 'epoch'>; readonly changes: unknown };

/** Keeps what is put in the folder, and returns where. Rejects with a RequestError or a system error. */
export async function keepSource(
  folder: ContentsFolder,
  name: string,
  source: PutSource,
  maxBytes: number,
): Promise<Pick<PutContent, 'snapshot' | 'isUploaded' | 'preview'>> {
  switch (source.kind) {
    case 'path':
      return { snapshot: source.path, isUploaded: false };
    case 'body':
      return { snapshot: await folder.receive(name, source.body, maxBytes), isUploaded: true };
    case 'preview': {
      refuseConditions(source.changes);
      const lists = source.changes === undefined ? [] : [keptChanges(source.changes, 0)];
      const snapshot = await folder.addChanges(name, await runInTurns(packChangesInSteps(lists)));
      return { snapshot, isUploaded: true, preview: { ...source.preview, epoch: firstVersion().epoch } };
    }
  }
}
