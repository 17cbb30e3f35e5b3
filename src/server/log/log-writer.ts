import { write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { DestinationStream } from 'pino';

/** Maximum size of the buffer for a slow reader. Further lines are lost, because waiting would block all requests. */
const maxBufferedBytes = 16 * 2 ** 20;

/** Size of one write. */
const chunkBytes = 64 * 1024;

/** Delay before a retry when the pipe is full, in milliseconds. */
const retryMilliseconds = 100;

/** Maximum number of retries of a synchronous flush. */
const maxRetries = 10;

/** A write that takes longer is stuck, and the exiting process does not wait for it. In milliseconds. */
const stuckMilliseconds = 1000;

const lineEnd = Buffer.from('\n');

/**
 * Writes lines to a file descriptor. Drops and counts lines that cannot be written because the disk is full or nobody
 * reads the pipe. Tries to write each line. (sonic-boom, pino's own writer, repeats a failed write for ever when the
 * process exits, so a server with a full disk or a closed stderr would never end.)
 */
export class LogWriter implements DestinationStream {
  readonly #fd: number;
  readonly #isSync: boolean;
  readonly #maxBytes: number;
  #buffered: string[] = [];
  #bufferedBytes = 0;
  #isWriting = false;
  #writingSince = 0;
  /** Whether the last line was only partly written. */
  #isTorn = false;
  #lostLines = 0;

  /** `isSync` blocks the process until each line is written. */
  constructor(fd: number, { isSync = false, maxBytes = maxBufferedBytes } = {}) {
    this.#fd = fd;
    this.#isSync = isSync;
    this.#maxBytes = maxBytes;
  }

  /** Number of lines that could not be written. */
  get lostLines(): number {
    return this.#lostLines;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bufferedBytes + bytes > this.#maxBytes) {
      this.#lostLines++;
      return;
    }
    this.#buffered.push(line);
    this.#bufferedBytes += bytes;
    if (this.#isSync) this.flushSync();
    else if (!this.#isWriting) this.#writeNext();
  }

  /** Writes the buffered lines, or counts them as lost. Called at exit, which a slow reader must not delay for long. */
  flushSync(): void {
    const isStuck = this.#isWriting && performance.now() - this.#writingSince > stuckMilliseconds;
    let retries = 0;
    while (this.#buffered.length > 0) {
      const { lines, bytes } = this.#takeChunk();
      let written = 0;
      while (written < bytes.length && !isStuck) {
        try {
          written += writeSync(this.#fd, bytes, written);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || ++retries > maxRetries) break;
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
    while (lines < this.#buffered.length && length < chunkBytes) length += this.#buffered[lines++].length;
    const text = Buffer.from(this.#buffered.splice(0, lines).join(''));
    this.#bufferedBytes -= text.length;
    return { lines, bytes: this.#isTorn ? Buffer.concat([lineEnd, text]) : text };
  }

  #writeNext(): void {
    this.#isWriting = this.#buffered.length > 0;
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

  /** Counts the lost lines of a partly written chunk. */
  #lose(lines: number, bytes: Buffer, written: number): void {
    const rest = bytes.subarray(written).toString('latin1');
    this.#lostLines += Math.min(lines, rest.split('\n').length - 1);
    if (written > 0) this.#isTorn = bytes[written - 1] !== lineEnd[0];
  }
}

/** Blocks the process. */
function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The only writer of stderr in a server. The buffer is flushed at exit. */
export const standardError = new LogWriter(2, { isSync: isatty(2) });
process.on('exit', () => standardError.flushSync());
