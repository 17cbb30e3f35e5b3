/** `lectern serve` as users run it, in a process of its own, which can be killed and started again on its ports. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { builtCli } from '../../bench/program.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';

/** Milliseconds for a start on a busy machine. */
const startTime = 90_000;
const keptLines = 1000;
/** The level of warnings in pino's lines. */
const warningLevel = 40;

export interface LogLine {
  readonly level: number;
  readonly msg: string;
}

interface ServerParts {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
  /** Arguments of `serve`. */
  readonly args: readonly string[];
  /** Between the server and its Redis. */
  readonly proxy: TcpProxy;
  /** Takes the log. */
  readonly logFile: string;
}

export class Server {
  readonly name: string;
  readonly port: number;
  readonly adminPort: number;
  readonly proxy: TcpProxy;
  /** Warnings and errors of all starts, the last of them. */
  readonly lines: LogLine[] = [];
  readonly #parts: ServerParts;
  #child: ChildProcess | null = null;
  #exit: Promise<number | null> = Promise.resolve(null);
  #serving: Promise<void> = Promise.resolve();
  #isEnding = false;
  /** Ends that nobody asked for. */
  unexpectedEnds = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.port = parts.port;
    this.adminPort = parts.adminPort;
    this.proxy = parts.proxy;
  }

  /** Starts the process, without a wait. */
  spawn(): void {
    const { args, logFile } = this.#parts;
    const { port, adminPort } = this;
    const ports = ['--port', String(port), '--admin-port', String(adminPort)];
    const inherited = Object.entries(process.env).filter(([name]) => !/^(LECTERN_|PORT$|HOST$|LOG_LEVEL$)/.test(name));
    const child = spawn(process.execPath, [builtCli, 'serve', ...args, ...ports], {
      env: Object.fromEntries(inherited),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#isEnding = false;
    this.#exit = once(child, 'exit').then(([code]) => {
      if (!this.#isEnding) this.unexpectedEnds++;
      return code;
    });
    this.#serving = new Promise((resolve) => {
      createInterface({ input: child.stderr! }).on('line', (text) => {
        appendFileSync(logFile, `${text}\n`);
        const line = parseLine(text);
        if (line.msg === 'serving') resolve();
        if (line.level >= warningLevel) this.lines.push(line);
        if (this.lines.length > keptLines) this.lines.shift();
      });
    });
  }

  /** Starts the process and waits until it serves. */
  async start(): Promise<void> {
    this.spawn();
    await this.serves();
  }

  /** Resolves when it serves content. Rejects if it ends before. */
  async serves(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const failed = (what: string) => new Error(`${this.name} ${what}: ${this.lines.at(-1)?.msg ?? 'no message'}`);
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(failed('does not serve')), startTime);
    });
    const ended = this.#exit.then((code) => Promise.reject(failed(`ended with ${code}`)));
    try {
      await Promise.race([this.#serving, ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves with the exit code when it has ended by itself. */
  async ended(): Promise<number | null> {
    this.#isEnding = true;
    return this.#exit;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.isRunning) return;
    this.#isEnding = true;
    this.#child!.kill(signal);
    await this.#exit;
  }

  /** Whether a warning or an error has a text. */
  hasWarned(pattern: RegExp): boolean {
    return this.lines.some(({ msg }) => pattern.test(msg));
  }
}

function parseLine(text: string): LogLine {
  try {
    const { level = 0, msg = '' } = JSON.parse(text);
    return { level, msg };
  } catch {
    return { level: warningLevel, msg: text };
  }
}
