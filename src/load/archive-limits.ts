import { SnapshotError } from '../core/errors.ts';
import { limits } from './limits.ts';

/** Block size of the tar format. */
const blockBytes = 512;

/** Checks an archive against the limits while it is read. */
export class ArchiveLimits {
  readonly #path: string;
  #files = 0;
  /** Unpacked bytes that have been read. */
  #readBytes = 0;
  /** Bytes of the files and their headers, whether they are selected or skipped. */
  #fileBytes = 0;
  #lastName: string | null = null;
  /** Offset of the end of the last file's content. */
  #lastEnd = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether the archive has no file so far. */
  get isEmpty(): boolean {
    return this.#files === 0;
  }

  /** The archive and the last file, for messages. */
  get location(): string {
    return this.#lastName === null ? this.#path : `${this.#path}, after ${this.#lastName}`;
  }

  /** Counts unpacked bytes. Returns an error if too many come after the last file. */
  countBytes(length: number): SnapshotError | null {
    this.#readBytes += length;
    // buffered chunks count too, but are far below the limit
    if (this.#readBytes - this.#lastEnd <= limits.bytesWithoutFile) return null;
    const message = `more than ${limits.bytesWithoutFile} bytes of headers or zeros without a file`;
    return new SnapshotError([`${this.location}: ${message}`]);
  }

  /** Counts a file. `offset` is where its content starts. Throws a SnapshotError for an exceeded limit. */
  countFile(name: string, size: number, offset: number): void {
    const headerBytes = offset - this.#lastEnd;
    this.#files++;
    this.#fileBytes += headerBytes + size;
    this.#lastName = truncateStart(name);
    this.#lastEnd = offset + Math.ceil(size / blockBytes) * blockBytes;
    if (headerBytes > limits.headerBytes) {
      const message = `the headers take ${headerBytes} bytes; the limit is ${limits.headerBytes}`;
      throw new SnapshotError([`${this.#path}, ${this.#lastName}: ${message}`]);
    }
    if (this.#files > limits.archivedFiles) {
      throw new SnapshotError([`${this.#path}: more than ${limits.archivedFiles} files`]);
    }
    const maxBytes = limits.unpackedBytes + limits.uploadBytes;
    if (this.#fileBytes > maxBytes) {
      throw new SnapshotError([`${this.#path}: the files take more than ${maxBytes} bytes unpacked`]);
    }
  }
}

/** Returns the last 200 characters of a longer name. */
function truncateStart(name: string): string {
  return name.length <= 200 ? name : `…${name.slice(-200)}`;
}
