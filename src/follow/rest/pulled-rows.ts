/** The rows that were read, in files of a folder, so that an interrupted pull can be resumed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Shown } from './read-row.ts';
import type { Slice } from './slices.ts';

/** The part of a row that is kept in memory. */
interface Known {
  /** The number of its latest line in the file, from 0. */
  line: number;
  digest: string;
  updatedAt: unknown;
}

const newline = 0x0a;

/** Rows by slice. A row that is put again replaces its earlier line: the file keeps both, and the later one counts. */
export class PulledRows {
  readonly #folder: string;
  readonly #known = new Map<string, Map<number, Known>>();
  readonly #lineCounts = new Map<string, number>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the rows in a folder, which need not exist. Removes an incomplete last line. */
  static async open(folder: string, slices: readonly Slice[]): Promise<PulledRows> {
    await mkdir(folder, { recursive: true });
    const rows = new PulledRows(folder);
    for (const slice of slices) await rows.#readKnown(slice);
    return rows;
  }

  /** Returns the number of rows of a slice. */
  count(slice: Slice): number {
    return this.#knownOf(slice).size;
  }

  has(slice: Slice, id: number): boolean {
    return this.#knownOf(slice).has(id);
  }

  /** Returns the ids of a slice, in no order. */
  ids(slice: Slice): Iterable<number> {
    return this.#knownOf(slice).keys();
  }

  /** Returns the attribute `updatedAt` of a row, or undefined if there is no such row. */
  updatedAt(slice: Slice, id: number): unknown {
    return this.#knownOf(slice).get(id)?.updatedAt;
  }

  /** Adds and replaces rows. Returns how many are new or different. */
  async put(slice: Slice, rows: readonly Shown[]): Promise<number> {
    const known = this.#knownOf(slice);
    let text = '';
    let changed = 0;
    for (const row of rows) {
      const line = JSON.stringify(row);
      const digest = lineDigest(line);
      if (known.get(row.id)?.digest === digest) continue;
      text += `${line}\n`;
      known.set(row.id, { line: this.#nextLine(slice), digest, updatedAt: row.updatedAt });
      changed++;
    }
    if (text !== '') await appendFile(this.#pathOf(slice), text);
    return changed;
  }

  /** Removes rows, and returns how many there were. Their lines stay in the file, so a resumed pull finds them again. */
  drop(slice: Slice, ids: Iterable<number>): number {
    let dropped = 0;
    for (const id of ids) if (this.#knownOf(slice).delete(id)) dropped++;
    return dropped;
  }

  /** Yields the rows of a slice in batches. */
  async *batches(slice: Slice): AsyncGenerator<Shown[]> {
    const known = this.#knownOf(slice);
    let number = 0;
    for await (const lines of this.#lines(slice)) {
      const rows: Shown[] = [];
      for (const line of lines) {
        const row = JSON.parse(line.toString()) as Shown;
        // other lines hold rows that were replaced or dropped
        if (known.get(row.id)?.line === number++) rows.push(row);
      }
      yield rows;
    }
  }

  async #readKnown(slice: Slice): Promise<void> {
    const known = this.#knownOf(slice);
    let complete = 0;
    for await (const lines of this.#lines(slice)) {
      for (const line of lines) {
        const row = JSON.parse(line.toString()) as Shown;
        known.set(row.id, { line: this.#nextLine(slice), digest: lineDigest(line), updatedAt: row.updatedAt });
        complete += line.length + 1;
      }
    }
    await truncate(this.#pathOf(slice), complete).catch(ignoreMissing);
  }

  /** Yields the complete lines of a file, those of each chunk together. */
  async *#lines(slice: Slice): AsyncGenerator<Buffer[]> {
    let held = Buffer.alloc(0);
    try {
      for await (const chunk of createReadStream(this.#pathOf(slice), { highWaterMark: 2 ** 20 })) {
        const bytes = Buffer.concat([held, chunk as Buffer]);
        const lines: Buffer[] = [];
        let start = 0;
        for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
          lines.push(bytes.subarray(start, end));
          start = end + 1;
        }
        held = bytes.subarray(start);
        yield lines;
      }
    } catch (error) {
      ignoreMissing(error);
    }
  }

  #knownOf({ name }: Slice): Map<number, Known> {
    const known = this.#known.get(name) ?? new Map<number, Known>();
    this.#known.set(name, known);
    return known;
  }

  #nextLine({ name }: Slice): number {
    const line = this.#lineCounts.get(name) ?? 0;
    this.#lineCounts.set(name, line + 1);
    return line;
  }

  #pathOf({ name }: Slice): string {
    return join(this.#folder, `${name}.jsonl`);
  }
}

function lineDigest(line: string | Buffer): string {
  return createHash('sha256').update(line).digest('base64').slice(0, 22);
}

function ignoreMissing(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
