import { prepareDigests } from '../build/row-digest.ts';
import type { Batch } from '../changes/batch.ts';
import type { Config } from '../config/config.ts';
import { Content } from '../content.ts';
import { type ContentEntry, Contents } from '../contents/contents.ts';
import { settingsOf } from '../contents/put-content.ts';
import type { LoadedExtension } from '../extend/load.ts';
import { attachSnapshot, type DescribedSnapshot } from '../load/described-snapshot.ts';
import type { Unpack } from '../media/open-uploads.ts';
import { openExtension } from '../open.ts';
import type { DescribedEntry, EntryChange } from './messages.ts';
import { countReplaced } from './replaced-memory.ts';

export interface DescribedOptions {
  /** The settings of this thread. */
  readonly config: Config;
  readonly unpack: Unpack;
  /** Called with the registry after the first changes. */
  serve(contents: Contents): void;
}

/** The contents of a thread that answers requests. They are those that the coordinating thread describes. */
export class DescribedContents {
  readonly #options: DescribedOptions;
  #contents: Contents | null = null;
  #extension: Promise<LoadedExtension | null> | null = null;
  /** The last call of `change`. Each waits for the one before. */
  #changed = Promise.resolve();

  constructor(options: DescribedOptions) {
    this.#options = options;
  }

  /** Makes the changes in one turn of the event loop, after those of earlier calls. The first adds a content. */
  change(changes: readonly EntryChange[]): Promise<void> {
    this.#changed = this.#changed.then(async () => {
      this.#extension ??= openExtension(this.#options.config);
      await prepareDigests();
      this.#make(changes, await this.#extension);
    });
    return this.#changed;
  }

  #make(changes: readonly EntryChange[], extension: LoadedExtension | null): void {
    const isFirst = this.#contents === null;
    for (const change of changes) {
      if (change.kind === 'set') this.#set(change.entry, extension);
      else if (change.kind === 'apply') this.#apply(change);
      else this.#delete(change.name);
    }
    if (isFirst) this.#options.serve(this.#contents!);
  }

  #set({ snapshot, batches, ...entry }: DescribedEntry, extension: LoadedExtension | null): void {
    const earlier = this.#contents?.get(entry.name);
    if (snapshot && earlier?.content && earlier.id === entry.id) {
      return replaceSnapshot(earlier.content, snapshot, batches);
    }
    const created = { ...entry, content: snapshot && this.#open(entry, snapshot, extension) };
    for (const batch of batches) created.content!.apply(batch);
    if (this.#contents) void this.#contents.set(created);
    else this.#contents = new Contents(created);
    retire(earlier);
  }

  #open({ put }: Pick<ContentEntry, 'put'>, snapshot: DescribedSnapshot, extension: LoadedExtension | null): Content {
    const started = performance.now();
    const { config, unpack } = this.#options;
    return new Content(attachSnapshot(snapshot), settingsOf(put, config), started, {
      extension,
      unpack,
      compactions: neverByItself,
    });
  }

  /** Throws if the content does not get to the version of the other threads. */
  #apply({ name, batch, version }: EntryChange & { kind: 'apply' }): void {
    const content = this.#contents!.get(name)!.content!;
    content.apply(batch);
    if (content.version !== version) throw new Error(`${name} is at ${content.version}, expected ${version}`);
  }

  #delete(name: string): void {
    const earlier = this.#contents!.get(name);
    void this.#contents!.delete(name);
    retire(earlier);
  }
}

/** Each thread would make a base of its own, in memory of its own. */
export const neverByItself = { limits: null };

function replaceSnapshot(content: Content, snapshot: DescribedSnapshot, batches: readonly Batch[]): void {
  const bytes = content.storeBytes;
  // the coordinating thread has decided that a new epoch begins
  const isForced = snapshot.version !== undefined;
  if (!content.replace(attachSnapshot(snapshot), performance.now(), isForced)) return;
  countReplaced(bytes);
  for (const batch of batches) content.apply(batch);
}

/** Frees what an entry holds that is not served any more. */
function retire(entry: ContentEntry | undefined): void {
  if (!entry?.content) return;
  countReplaced(entry.content.storeBytes);
  void entry.content.close();
}
