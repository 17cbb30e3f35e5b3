import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { builtCli } from '../../bench/program.ts';

/** Time from SIGTERM to the end of the process: `timeouts.stop` and a margin. */
const stopMilliseconds = 20_000;
/** Level of pino's `error`. */
const errorLevel = 50;
const keptErrors = 20;

/** `lectern serve` as users run it, in a process of its own. Linux only, since it reads /proc. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** The first lines of the log at level error or above. */
  readonly errors: string[] = [];
  port = 0;
  /** 0 without an admin port. */
  adminPort = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when the server is ready. Rejects if it ends before. `program` takes the place of the command line. */
  static async start(snapshot: string, configFile: string, program = [builtCli]): Promise<ServerProcess> {
    const options = ['serve', snapshot, '--port', '0', '--config', configFile];
    const child = spawn(process.execPath, [...program, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
    const server = new ServerProcess(child);
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${server.errors.join('\n')}`)));
      createInterface({ input: child.stderr! }).on('line', (line) => server.#read(line, resolve));
    });
    return server;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resident memory in bytes. */
  get residentBytes(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  }

  /** Sends SIGTERM. Returns the time until the process has ended, or null if it had to be killed. */
  async stop(): Promise<number | null> {
    if (this.hasEnded) return null;
    const started = performance.now();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), stopMilliseconds);
    await ended;
    clearTimeout(killer);
    return this.#child.exitCode === 0 ? performance.now() - started : null;
  }

  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  #read(line: string, ready: () => void): void {
    let entry: { level?: number; msg?: string; address?: string; adminAddress?: string };
    try {
      entry = JSON.parse(line);
    } catch {
      entry = { level: errorLevel };
    }
    if (entry.msg === 'serving' && entry.address) {
      this.port = Number(new URL(entry.address).port);
      if (entry.adminAddress) this.adminPort = Number(new URL(entry.adminAddress).port);
      ready();
    }
    if ((entry.level ?? 0) >= errorLevel && this.errors.length < keptErrors) this.errors.push(line.slice(0, 2000));
  }
}
