import { once } from 'node:events';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';

/** Lines are written in pieces of this length, in characters. */
const pieceLength = 2 ** 16;

/** A file of JSON values, one a line, that is written bit by bit. */
export class LineFile {
  readonly #stream: WriteStream;
  #error: Error | null = null;
  #text = '';
  #count = 0;

  /** Creates the file and its folder. Replaces a file of that name. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = createWriteStream(path).on('error', (error) => {
      this.#error = error;
    });
  }

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  /** Adds a line. Rejects if the file cannot be written. */
  async write(value: object): Promise<void> {
    this.#text += `${JSON.stringify(value)}\n`;
    this.#count++;
    if (this.#text.length >= pieceLength) await this.#flush();
  }

  /** Writes what is left and closes the file. Rejects if the file cannot be written. */
  async close(): Promise<void> {
    await this.#flush();
    this.#stream.end();
    await finished(this.#stream);
  }

  async #flush(): Promise<void> {
    if (this.#error) throw this.#error;
    const text = this.#text;
    this.#text = '';
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }
}
