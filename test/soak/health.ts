import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from './server-process.ts';

const probe = fileURLToPath(new URL('health-probe.ts', import.meta.url));

/** Maximum time of /_health under every load, in milliseconds. */
export const healthMilliseconds = 250;

/** Number of late answers that are reported with the attacks under way. */
const kept = 5;

/** Answers of /_health, sampled every second. */
export class Health {
  readonly #child: ChildProcess;
  readonly #underWay: () => string;
  readonly #late: { own: number; underWay: string }[] = [];
  samples = 0;
  longest = 0;
  /** Answers that were late or wrong. */
  misses = 0;
  /** The same, without the time in which the server waited for a processor. */
  longestOwn = 0;
  ownMisses = 0;
  failures = 0;

  /** `underWay` names the attacks that are under way. */
  constructor(server: ServerProcess, underWay: () => string) {
    this.#underWay = underWay;
    const options = [...process.execArgv, probe, String(server.port), String(server.pid)];
    this.#child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#take(JSON.parse(line)));
  }

  /** Must be called before the server is stopped. */
  end(): void {
    this.#child.kill();
  }

  /** The longest waits, and what was under way when they came. */
  worst(): string[] {
    return this.#late.map(({ own, underWay }) => `health: ${own.toFixed(0)} ms during ${underWay}`);
  }

  summary(): string {
    const late = `${this.misses} of ${this.samples} answers took over ${healthMilliseconds} ms or failed`;
    const own = `without waiting for a processor ${this.ownMisses}, the longest ${this.longestOwn.toFixed(0)} ms`;
    return `health: ${late}, the longest ${this.longest.toFixed(0)} ms; ${own}`;
  }

  #take({ status, milliseconds, waited }: { status: number | null; milliseconds: number; waited: number }): void {
    const own = Math.max(0, milliseconds - waited);
    const isRight = status === 204;
    this.samples++;
    if (!isRight) this.failures++;
    this.longest = Math.max(this.longest, milliseconds);
    this.longestOwn = Math.max(this.longestOwn, own);
    if (!isRight || milliseconds > healthMilliseconds) this.misses++;
    if (isRight && own <= healthMilliseconds) return;
    this.ownMisses++;
    this.#late.push({ own, underWay: this.#underWay() });
    this.#late.sort((a, b) => b.own - a.own).splice(kept);
  }
}
