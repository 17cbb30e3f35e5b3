import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { serverFields } from '../../src/config/server.ts';
import { libraryOf, type Version } from './version.ts';

/** What a version of the library is opened with. */
export interface Opening {
  snapshot: string;
  /** As in a config file. */
  settings: Record<string, unknown>;
  authorization?: string;
}

export interface Loaded {
  /** Processor time of all threads in user mode. */
  userMilliseconds: number;
  milliseconds: number;
  /** What objects and buffers take after the garbage has been collected. */
  liveBytes: number;
  /** The most that was resident. */
  peakBytes: number;
}

export interface Answer {
  status: number;
  bytes: number;
  /** Of the body. */
  digest: string;
}

export interface Turn {
  userMilliseconds: number;
  milliseconds: number;
}

/**
 * V8 compiles and collects in the main thread: threads beside it would spend processor time at a moment that depends on
 * what else the machine does.
 */
const steady = ['--no-concurrent-recompilation', '--single-threaded-gc'];

/** A version of the library in a process of its own. `begin` names the URLs that the other messages are about. */
export class LibraryProcess {
  readonly version: Version;
  readonly #child: ChildProcess;
  #ended: string | null = null;

  constructor(version: Version) {
    this.version = version;
    const module = fileURLToPath(new URL('./measured.mjs', import.meta.url));
    this.#child = fork(module, { execArgv: ['--expose-gc', ...steady] });
    this.#child.once('exit', (code, signal) => {
      this.#ended = `The process of ${version.name} ended with ${signal ?? code}.`;
    });
  }

  load({ snapshot, settings, authorization }: Opening): Promise<Loaded> {
    const options = Object.entries(settings).filter(([key]) => key !== '$schema' && !(key in serverFields));
    const library = libraryOf(this.version);
    return this.#ask('load', { library, snapshot, settings: Object.fromEntries(options), authorization });
  }

  begin(urls: string[]): Promise<void> {
    return this.#ask('begin', { urls });
  }

  answers(): Promise<Answer[]> {
    return this.#ask('answers', {});
  }

  body(url: string): Promise<string> {
    return this.#ask('body', { url });
  }

  /** Asks that many URLs, from one of them on. */
  turn(from: number, calls: number): Promise<Turn> {
    return this.#ask('turn', { from, calls });
  }

  /** Goes through all URLs that often and gives the milliseconds of every call. */
  times(passes: number): Promise<number[]> {
    return this.#ask('times', { passes });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask<Result>(kind: string, task: object): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new Error(this.#ended));
      const ended = () => reject(new Error(this.#ended!));
      this.#child.once('exit', ended);
      this.#child.once('message', (reply: { answer: Result } | { problem: string }) => {
        this.#child.off('exit', ended);
        if ('problem' in reply) reject(new Error(`${this.version.name}: ${reply.problem}`));
        else resolve(reply.answer);
      });
      this.#child.send({ kind, task });
    });
  }
}
