import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders.ts';

/** A file system in memory, which can be filled to its last block. */
export class SmallDisk {
  readonly folder = temporaryFolder('lectern-disk-');

  /** `size` is such as `256m`. */
  constructor(size: string) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.folder]);
    chmodSync(this.folder, 0o777);
  }

  /** Runs what makes its temporary folders on this disk. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    const { TMPDIR } = process.env;
    process.env.TMPDIR = this.folder;
    try {
      return await run();
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  }

  fill(): void {
    const file = openSync(this.#filler, 'w');
    const block = Buffer.alloc(2 ** 16);
    try {
      for (;;) writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Removes what fills the disk. */
  makeRoom(): void {
    rmSync(this.#filler);
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}
