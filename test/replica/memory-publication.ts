import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type Head,
  type Publication,
  PublicationError,
  type PublishedChange,
  type PublishedImage,
  type PublishedState,
  type ReadLog,
  type Refused,
  type WaitOptions,
} from '../../src/publication/publication.ts';
import { isSameState } from '../../src/publication/states.ts';

/** A publication in memory, whose head, log and images a test may lose and damage. */
export class MemoryPublication implements Publication {
  head: Head | null = null;
  log: PublishedChange[] = [];
  readonly images = new Map<string, Buffer>();
  /** SHA-256 of the images that were downloaded, in order. */
  readonly downloads: string[] = [];
  /** Whether the publication cannot be reached. */
  isAway = false;
  #wake = new Set<() => void>();

  async readHead(): Promise<Head | null> {
    this.#reach();
    return structuredClone(this.head);
  }

  async appendIf(
    expected: PublishedState | null,
    head: Head,
    changes: readonly PublishedChange[] = [],
  ): Promise<Refused | null> {
    if (!isSameState(this.head, expected)) return { head: this.head };
    if (!this.head || this.head.epoch !== head.epoch) this.log = [];
    this.log.push(...changes);
    this.head = head;
    this.tell();
    return null;
  }

  async readFrom(after: PublishedState, { wait, signal }: WaitOptions): Promise<ReadLog> {
    const until = performance.now() + wait;
    const known = JSON.stringify(this.head);
    for (;;) {
      signal?.throwIfAborted();
      this.#reach();
      const { head } = this;
      const isAfter = ({ epoch, sequence }: PublishedChange) =>
        epoch === head?.epoch && sequence <= head.sequence && (epoch !== after.epoch || sequence > after.sequence);
      const changes = this.log.filter(isAfter);
      const left = until - performance.now();
      if (changes.length > 0 || left <= 0 || JSON.stringify(head) !== known) return structuredClone({ head, changes });
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', end);
          resolve();
        };
        const timer = setTimeout(end, left);
        this.#wake.add(end);
        signal?.addEventListener('abort', end);
      });
    }
  }

  async putImage(path: string): Promise<Pick<PublishedImage, 'sha256' | 'bytes'>> {
    const bytes = readFileSync(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.images.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  }

  async getImage({ sha256 }: Pick<PublishedImage, 'sha256'>, path: string): Promise<void> {
    this.#reach();
    const bytes = this.images.get(sha256);
    if (!bytes) throw new PublicationError(`there is no image ${sha256}`);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new PublicationError('it holds other bytes');
    this.downloads.push(sha256);
    writeFileSync(`${path}.part`, bytes);
    copyFileSync(`${path}.part`, path);
  }

  /** Lets readers look again. */
  tell(): void {
    for (const wake of this.#wake) wake();
    this.#wake.clear();
  }

  #reach(): void {
    if (this.isAway) throw new PublicationError('it cannot be reached');
  }
}
