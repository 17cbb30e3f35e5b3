/** The pages of tables in a SQLite database file, read without SQLite. https://www.sqlite.org/fileformat.html#b_tree_pages */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Database } from './database.ts';
import { headerBytes } from './file-header.ts';

const pageSizeOffset = 16;
const interiorPage = 5;
const leafPage = 13;
/** Bytes before the pointers to the cells of an interior page. The last of them are the number of its right-most child. */
const interiorHeaderBytes = 12;
/** Pages that are read at once, at most. */
const pagesPerRead = 64;
/** More levels than any table has. */
const maxLevels = 20;

/** A copy of a database, to be closed before the next copy is made in its place. */
export class TablePages {
  readonly #file: number;
  readonly #pageSize: number;
  readonly #roots: ReadonlyMap<string, number>;

  /** `database` is open and reads the file at the path, which is not written to. */
  constructor(path: string, database: Database) {
    const statement = `SELECT "name", "rootpage" FROM sqlite_schema WHERE "type" = 'table'`;
    this.#roots = new Map(Array.from(database.rows(statement), ([name, page]) => [String(name), Number(page)]));
    this.#file = openSync(path, 'r');
    const header = Buffer.alloc(headerBytes);
    readSync(this.#file, header, 0, headerBytes, 0);
    // 1 stands for the largest size, which two bytes do not hold
    this.#pageSize = header.readUInt16BE(pageSizeOffset) === 1 ? 2 ** 16 : header.readUInt16BE(pageSizeOffset);
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * Returns a digest of the pages that hold the rows of a table. A change of a row changes it, unless the row is longer than a
   * tenth of a page and may continue elsewhere. It may also differ for the same rows. Takes about a millisecond for 1 MiB.
   * Returns null if the table has no pages of this kind.
   */
  digest(table: string): string | null {
    const root = this.#roots.get(table);
    if (!root) return null;
    const hash = createHash('sha1');
    let pages: readonly number[] | null = [root];
    for (let level = 0; pages && level < maxLevels; level++) {
      // all leaves are on one level
      if (pages.length === 0) return hash.digest('base64url');
      pages = this.#take(pages, hash);
    }
    return null;
  }

  /** Adds the pages of one level to a digest, and returns the numbers of those of the next one. */
  #take(pages: readonly number[], hash: Hash): number[] | null {
    const below: number[] = [];
    const size = this.#pageSize;
    const buffer = Buffer.allocUnsafe(Math.min(pages.length, pagesPerRead) * size);
    for (let start = 0; start < pages.length; ) {
      let count = 1;
      while (count < pagesPerRead && pages[start + count] === pages[start] + count) count++;
      const bytes = buffer.subarray(0, count * size);
      if (readSync(this.#file, bytes, 0, bytes.length, (pages[start] - 1) * size) < bytes.length) return null;
      hash.update(bytes);
      for (let i = 0; i < count; i++) {
        const page = bytes.subarray(i * size, (i + 1) * size);
        if (page[0] === interiorPage) for (const child of childrenOf(page)) below.push(child);
        else if (page[0] !== leafPage) return null;
      }
      start += count;
    }
    return below;
  }
}

function* childrenOf(page: Buffer): Generator<number> {
  const cells = page.readUInt16BE(3);
  for (let i = 0; i < cells; i++) yield page.readUInt32BE(page.readUInt16BE(interiorHeaderBytes + 2 * i));
  yield page.readUInt32BE(interiorHeaderBytes - 4);
}
