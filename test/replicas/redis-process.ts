/** A Redis with a folder of its own, which can be killed, lose data and be started again on its port. Linux only. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { freePort } from '../../bench/free-port.ts';

const program = process.env.REDIS_SERVER ?? 'redis-server';
/** Milliseconds for a start. */
const startTime = 20_000;

/** How a Redis keeps its data: in a log of writes, or in a file that `SAVE` writes. */
export type Persistence = 'log' | 'file';

const persistences: Readonly<Record<Persistence, readonly string[]>> = {
  // the log holds each write before its answer, so that only its end can be lost
  log: ['--save', '', '--appendonly', 'yes', '--appendfsync', 'no'],
  file: ['--save', '', '--appendonly', 'no'],
};

type Client = ReturnType<typeof clientAt>;

export class RedisProcess {
  readonly port: number;
  readonly #folder: string;
  readonly #persistence: Persistence;
  #child: ChildProcess | null = null;
  #client: Client | null = null;
  #copies = 0;

  private constructor(port: number, folder: string, persistence: Persistence) {
    this.port = port;
    this.#folder = folder;
    this.#persistence = persistence;
  }

  static async begin(folder: string, persistence: Persistence = 'log'): Promise<RedisProcess> {
    const redis = new RedisProcess(await freePort(), folder, persistence);
    await redis.start();
    return redis;
  }

  async send(...command: string[]): Promise<unknown> {
    return this.#client!.sendCommand(command);
  }

  /** Sends commands as one transaction. */
  async sendTogether(commands: readonly (readonly string[])[]): Promise<unknown> {
    const transaction = this.#client!.multi();
    for (const command of commands) transaction.addCommand([...command]);
    return transaction.exec();
  }

  /** Starts with the data of the folder. Resolves when commands are answered. */
  async start(): Promise<void> {
    mkdirSync(this.#data, { recursive: true });
    const args = ['--bind', '127.0.0.1', '--port', String(this.port), '--dir', this.#data, '--daemonize', 'no'];
    const child = spawn(program, [...args, ...persistences[this.#persistence]], { stdio: 'ignore' });
    this.#child = child;
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = new Error(`${program} does not start (apt-get install redis-server): ${error.message}`);
    });
    for (const end = Date.now() + startTime; ; await sleep(20)) {
      if (failure) throw failure;
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
      const client = clientAt(this.port);
      client.on('error', () => {});
      try {
        await client.connect();
        // while it reads its data, it answers LOADING
        await client.sendCommand(['DBSIZE']);
        this.#client = client;
        return;
      } catch (error) {
        client.destroy();
        if (Date.now() > end) throw error;
      }
    }
  }

  async kill(): Promise<void> {
    this.#client?.destroy();
    this.#client = null;
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Stops answering, without an end of connections. */
  freeze(): void {
    this.#child!.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child!.kill('SIGCONT');
  }

  /** Removes the data. Not while it runs. */
  forget(): void {
    rmSync(this.#data, { recursive: true });
  }

  /** Removes the end of the log of writes. Not while it runs. */
  cutLog(bytes: number): void {
    const folder = join(this.#data, 'appendonlydir');
    const name = readdirSync(folder).find((each) => each.endsWith('.incr.aof'))!;
    const path = join(folder, name);
    truncateSync(path, Math.max(0, statSync(path).size - bytes));
  }

  /** Saves the data to its file and copies that. Returns a function that brings the copy back, not while it runs. */
  async saveCopy(): Promise<() => void> {
    await this.send('SAVE');
    const copy = join(this.#folder, `copy-${++this.#copies}`);
    cpSync(this.#data, copy, { recursive: true });
    return () => {
      this.forget();
      cpSync(copy, this.#data, { recursive: true });
    };
  }

  get #data(): string {
    return join(this.#folder, 'redis');
  }
}

function clientAt(port: number) {
  return createClient({ RESP: 2, socket: { host: '127.0.0.1', port, reconnectStrategy: false } });
}
