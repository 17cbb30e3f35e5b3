import { write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';

/** What waits for a slow reader. More is lost, as waiting would hold up all requests. */
const waitingBytes = 16 * 2 ** 20;

/** So much is written at a time. */
const chunkBytes = 64 * 1024;

/** Until a reader that takes nothing is asked again, in milliseconds. */
const retryMilliseconds = 100;

/** So often it is asked again where the process cannot go on before. */
const mostRetries = 10;

/** After so long the end of the process does not wait for a reader, in milliseconds. */
const stuckMilliseconds = 1000;

const lineEnd = Buffer.from('\n');

/**
 * Writes lines to a file descriptor. A line that cannot be written, because the disk is full or nobody reads the pipe,
 * is lost and counted. The next line is tried again.
 */
export class LogWriter implements DestinationStream {
  readonly #fd: number;
  readonly #isSync: boolean;
  readonly #mostBytes: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #writingSince = 0;
  /** Whether the last line that was written lacks its end. */
  #isTorn = false;
  #lostLines = 0;

  /** `isSync` holds up the process until each line is written. */
  constructor(fd: number, { isSync = false, mostBytes = waitingBytes } = {}) {
    this.#fd = fd;
    this.#isSync = isSync;
    this.#mostBytes = mostBytes;
  }

  /** How many lines could not be written. */
  get lostLines(): number {
    return this.#lostLines;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > this.#mostBytes) {
      this.#lostLines++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += bytes;
    if (this.#isSync) this.flushSync();
    else if (!this.#isWriting) this.#writeNext();
  }

  /** Writes what waits, or counts it as lost. For the end of the process, which no reader may hold up. */
  flushSync(): void {
    const isStuck = this.#isWriting && performance.now() - this.#writingSince > stuckMilliseconds;
    let retries = 0;
    while (this.#waiting.length > 0) {
      const { lines, bytes } = this.#takeChunk();
      let written = 0;
      while (written < bytes.length && !isStuck) {
        try {
          written += writeSync(this.#fd, bytes, written);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || ++retries > mostRetries) break;
          sleep(retryMilliseconds);
        }
      }
      if (written === bytes.length) this.#isTorn = false;
      else this.#lose(lines, bytes, written);
    }
  }

  #takeChunk(): { lines: number; bytes: Buffer } {
    let lines = 0;
    let length = 0;
    while (lines < this.#waiting.length && length < chunkBytes) length += this.#waiting[lines++].length;
    const text = Buffer.from(this.#waiting.splice(0, lines).join(''));
    this.#waitingBytes -= text.length;
    return { lines, bytes: this.#isTorn ? Buffer.concat([lineEnd, text]) : text };
  }

  #writeNext(): void {
    this.#isWriting = this.#waiting.length > 0;
    if (!this.#isWriting) return;
    const { lines, bytes } = this.#takeChunk();
    this.#writingSince = performance.now();
    const writeFrom = (start: number) => {
      write(this.#fd, bytes, start, bytes.length - start, null, (error, count) => {
        const end = start + (error ? 0 : count);
        if (error?.code === 'EAGAIN') setTimeout(writeFrom, retryMilliseconds, start);
        else if (!error && end < bytes.length) writeFrom(end);
        else {
          if (error) this.#lose(lines, bytes, end);
          else this.#isTorn = false;
          this.#writeNext();
        }
      });
    };
    writeFrom(0);
  }

  /** Counts the lines of a chunk of which only the first bytes were written. */
  #lose(lines: number, bytes: Buffer, written: number): void {
    const rest = bytes.subarray(written).toString('latin1');
    this.#lostLines += Math.min(lines, rest.split('\n').length - 1);
    if (written > 0) this.#isTorn = bytes[written - 1] !== lineEnd[0];
  }
}

/** Holds up the process. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The one writer of stderr. What waits is written when the process ends. */
export const standardError = new LogWriter(2, { isSync: isatty(2) });
process.on('exit', () => standardError.flushSync());
