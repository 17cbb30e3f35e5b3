/**
 * The pages of tables in a SQLite database file, read without SQLite.
 * https://www.sqlite.org/fileformat.html#b_tree_pages
 */
import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Database } from '../database.ts';
import { headerBytes, parseFileHeader } from './file-header.ts';

const interiorPage = 5;
const leafPage = 13;
/** Bytes before the pointers to the cells of an interior page. The last of them are the number of its right-most child. */
const interiorHeaderBytes = 12;
const leafHeaderBytes = 8;
/** Pages that are read at once, at most. */
const pagesPerRead = 64;
/** More levels than any table has. */
const maxLevels = 20;

/** A copy of a database, to be closed before the next copy is made in its place. */
export class TablePages {
  readonly #file: number;
  readonly #pageSize: number;
  readonly #reserved: number;
  readonly #roots: ReadonlyMap<string, number>;

  /** `database` is open and reads the file at the path, which is not written to. */
  static async open(path: string, database: Database): Promise<TablePages> {
    const statement = `SELECT "name", "rootpage" FROM sqlite_schema WHERE "type" = 'table'`;
    const tables = await database.all(statement);
    return new TablePages(path, new Map(tables.map(([name, page]) => [String(name), Number(page)])));
  }

  private constructor(path: string, roots: ReadonlyMap<string, number>) {
    this.#roots = roots;
    this.#file = openSync(path, 'r');
    const header = Buffer.alloc(headerBytes);
    readSync(this.#file, header, 0, headerBytes, 0);
    const { pageSize, reservedBytes } = parseFileHeader(header, path);
    this.#pageSize = pageSize;
    this.#reserved = reservedBytes;
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * Returns a digest of the pages that hold the rows of a table. A change of a row changes it. Without `hasLongRows`,
   * rows may not be longer than a tenth of a page, or what continues elsewhere is left out. It may also differ for the
   * same rows. Takes about a millisecond for 1 MiB. Returns null if the table has no pages of this kind.
   */
  digest(table: string, hasLongRows = false): string | null {
    const root = this.#roots.get(table);
    if (!root) return null;
    const hash = createHash('sha1');
    let pages: readonly number[] | null = [root];
    for (let level = 0; pages && level < maxLevels; level++) {
      // all leaves are on one level
      if (pages.length === 0) return hash.digest('base64url');
      pages = this.#take(pages, hash, hasLongRows);
    }
    return null;
  }

  /** Adds the pages of one level to a digest, and returns the numbers of those of the next one. */
  #take(pages: readonly number[], hash: Hash, hasLongRows: boolean): number[] | null {
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
        else if (hasLongRows && !this.#takeOverflow(page, hash)) return null;
      }
      start += count;
    }
    return below;
  }

  /** Adds the pages on which the rows of a leaf continue. Returns whether all are there. */
  #takeOverflow(leaf: Buffer, hash: Hash): boolean {
    const usable = this.#pageSize - this.#reserved;
    const most = usable - 35;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const page = Buffer.allocUnsafe(this.#pageSize);
    for (let cell = 0, cells = leaf.readUInt16BE(3); cell < cells; cell++) {
      const [length, idStart] = varintAt(leaf, leaf.readUInt16BE(leafHeaderBytes + 2 * cell));
      if (length <= most) continue;
      const [, start] = varintAt(leaf, idStart);
      const best = least + ((length - least) % (usable - 4));
      const local = best <= most ? best : least;
      let next = leaf.readUInt32BE(start + local);
      for (let rest = length - local; rest > 0; rest -= usable - 4) {
        const offset = (next - 1) * this.#pageSize;
        if (next === 0 || readSync(this.#file, page, 0, page.length, offset) < page.length) return false;
        hash.update(page);
        next = page.readUInt32BE(0);
      }
    }
    return true;
  }
}

/** Returns the number at an offset, seven bits in each byte, and the offset after it. */
function varintAt(bytes: Buffer, offset: number): [value: number, end: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[offset + i];
    value = value * 128 + (byte & 127);
    if (byte < 128) return [value, offset + i + 1];
  }
  return [value * 256 + bytes[offset + 8], offset + 9];
}

function* childrenOf(page: Buffer): Generator<number> {
  const cells = page.readUInt16BE(3);
  for (let i = 0; i < cells; i++) yield page.readUInt32BE(page.readUInt16BE(interiorHeaderBytes + 2 * i));
  yield page.readUInt32BE(interiorHeaderBytes - 4);
}
