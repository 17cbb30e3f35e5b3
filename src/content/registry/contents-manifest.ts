import { SerialQueue } from '../../core/serial-queue.ts';
import type { ContentsFolder } from './contents-folder.ts';
import type { PutContent } from './put-content.ts';

/** The contents that are put, by name, as the folder keeps them over a restart. */
export class ContentsManifest {
  readonly #folder: ContentsFolder | null;
  readonly #writes = new SerialQueue();
  #stored: ReadonlyMap<string, PutContent> = new Map();

  /** Without a folder, it stays empty. */
  constructor(folder: ContentsFolder | null) {
    this.#folder = folder;
  }

  /** Reads the manifest from the folder, removes contents whose lifetime has ended, and returns the others. */
  async read(now: number): Promise<PutContent[]> {
    const found = await this.#folder!.readManifest();
    const kept = found.filter((put) => !hasExpired(put, now));
    this.#stored = new Map(kept.map((put) => [put.name, put]));
    if (kept.length < found.length) await this.change(() => true);
    return kept;
  }

  get(name: string): PutContent | undefined {
    return this.#stored.get(name);
  }

  get all(): PutContent[] {
    return [...this.#stored.values()];
  }

  /**
   * Changes the manifest, and then the registry by `register`, after earlier calls. `change` returns whether the
   * manifest differs. Nothing is changed if it throws or the manifest cannot be written.
   */
  change(
    change: (stored: Map<string, PutContent>) => boolean,
    register: () => Promise<void> = async () => {},
  ): Promise<void> {
    return this.#writes.run(async () => {
      const next = new Map(this.#stored);
      if (change(next)) await this.#folder!.writeManifest([...next.values()]);
      this.#stored = next;
      await register();
    });
  }
}

/** Whether the lifetime of a content has ended at a time, in milliseconds since 1970. */
export function hasExpired({ expires }: PutContent, now: number): boolean {
  return expires !== null && Date.parse(expires) <= now;
}
