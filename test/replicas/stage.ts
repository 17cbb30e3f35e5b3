/** A Redis, publishers and replicas with proxies between them, readers and writers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../bench/free-port.ts';
import { sha256 } from '../support/sha256.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { ask } from './ask.ts';
import { marksPageSize, marksUrl, urls, writeSnapshot } from './content.ts';
import { Readers } from './readers.ts';
import { type Persistence, RedisProcess } from './redis-process.ts';
import { Server } from './server.ts';
import { changesToken, Writer, Written } from './writer.ts';

/** The name of the publication. */
export const publicationName = 'site';

export interface StageOptions {
  readonly replicas: number;
  /** Default: the content of `content.ts`. */
  readonly snapshot?: string;
  readonly publishers?: number;
  /** Entries that make images larger. */
  readonly fillers?: number;
  readonly persistence?: Persistence;
  readonly hasJournal?: boolean;
}

/** Milliseconds after mending in which replicas have to show what the publisher shows. */
const catchUp = 5000;
/** Milliseconds more in which it is found out whether a replica ever shows it. */
const longestLate = 60_000;
/** Milliseconds of `catchUp` in which changes are still made. */
const written = 4000;

const admin = { tokens: [{ name: 'tests', sha256: sha256(changesToken), rights: ['changes', 'reload'] }] };

/** What a row is judged by. */
export interface Verdict {
  readonly reads: number;
  readonly failed: number;
  readonly mixed: number;
  /** Replicas that show what the publisher shows, but not yet `catchUp` milliseconds after mending. */
  readonly late: number;
  /** Replicas that do not show it `longestLate` milliseconds after that either. */
  readonly gone: number;
  /** Acknowledged changes that some server does not have. */
  readonly lost: number;
  readonly acknowledged: number;
  readonly refused: number;
  readonly unavailable: number;
  /** What has gone wrong besides, and examples. */
  readonly problems: readonly string[];
}

export class Stage {
  readonly folder: string;
  readonly redis: RedisProcess;
  readonly publishers: Server[] = [];
  readonly replicas: Server[] = [];
  readonly readers = new Readers();
  readonly writers: Writer[] = [];
  readonly written = new Written();
  readonly #options: StageOptions;
  readonly #snapshot: string;
  readonly #others: Server[] = [];
  readonly #proxies: TcpProxy[] = [];

  private constructor(folder: string, redis: RedisProcess, options: StageOptions) {
    this.folder = folder;
    this.redis = redis;
    this.#options = options;
    this.#snapshot = options.snapshot ?? writeSnapshot(join(folder, 'snapshot'), options);
  }

  /** Opens a stage in an empty folder. Nothing but the Redis runs. */
  static async open(folder: string, options: StageOptions): Promise<Stage> {
    const redis = await RedisProcess.begin(folder, options.persistence);
    const stage = new Stage(folder, redis, options);
    for (let i = 0; i < (options.publishers ?? 1); i++) await stage.addPublisher();
    for (let i = 0; i < options.replicas; i++) await stage.addReplica();
    return stage;
  }

  get publisher(): Server {
    return this.publishers[0];
  }

  get writer(): Writer {
    return this.writers[0];
  }

  /** The folder of the published images. */
  get images(): string {
    return join(this.folder, 'images', publicationName);
  }

  /** Where a publisher writes images before it publishes them. */
  imagesMadeBy({ name }: Server): string {
    return join(this.folder, `${name}-cache`, 'published');
  }

  journalOf({ name }: Server): string {
    return join(this.folder, `${name}.journal`);
  }

  /** Adds a publisher and does not start it. */
  async addPublisher(snapshot = this.#snapshot): Promise<Server> {
    const name = `publisher-${this.publishers.length + 1}`;
    const proxy = await this.#proxy();
    const { hasJournal = true } = this.#options;
    const server = await this.#server(name, proxy, [snapshot], {
      publish: { to: addressOf(proxy), name: publicationName, images: join(this.folder, 'images') },
      admin,
      ...(hasJournal && { journal: join(this.folder, `${name}.journal`) }),
    });
    this.publishers.push(server);
    this.writers.push(new Writer(this.written, server.adminPort));
    return server;
  }

  /** Adds a server that publishes nothing, and does not start it. */
  async addServer(name: string, snapshot: string): Promise<Server> {
    const server = await this.#server(name, await this.#proxy(), [snapshot], { admin });
    this.#others.push(server);
    return server;
  }

  /** Adds a replica and does not start it. */
  async addReplica(): Promise<Server> {
    const name = `replica-${this.replicas.length + 1}`;
    const proxy = await this.#proxy();
    const images = join(this.folder, 'images');
    const server = await this.#server(name, proxy, [addressOf(proxy), '--name', publicationName], { images });
    this.replicas.push(server);
    return server;
  }

  /** Starts all servers, readers and writers. */
  async begin(): Promise<void> {
    for (const each of this.publishers) await each.start();
    await Promise.all(this.replicas.map((each) => each.start()));
    this.beginReaders();
    for (const each of this.writers) each.begin();
    await this.untilWritten(5);
  }

  /** Goes on after `judge`, and counts anew. */
  async resume(): Promise<void> {
    this.readers.reset();
    for (const each of this.writers) each.begin();
    await this.untilWritten(5);
  }

  beginReaders(servers: readonly Server[] = [...this.publishers, ...this.replicas]): void {
    for (const each of servers) this.readers.add(each.name, each.port, this.replicas.includes(each));
  }

  /** Resolves when some more changes are acknowledged. */
  async untilWritten(count: number, limit = 30_000): Promise<void> {
    const wanted = this.written.acknowledged.size + count;
    for (const end = Date.now() + limit; this.written.acknowledged.size < wanted; await sleep(10)) {
      if (Date.now() > end) throw new Error(`no change is acknowledged: ${this.written.last}`);
    }
  }

  /**
   * Goes on after everything is mended, and judges. Changes are made for some seconds more, so that what is compared came
   * after the failure.
   */
  async judge(): Promise<Verdict> {
    const mended = performance.now();
    await sleep(written);
    await Promise.all(this.writers.map((each) => each.stop()));
    await sleep(Math.max(500, catchUp - (performance.now() - mended)));
    const problems: string[] = [];
    const { readers, written: sent } = this;
    const publisher = this.publishers.find((each) => each.isRunning)!;
    const expected = await versionOf(publisher).catch((error: Error) => `unknown (${error.message})`);
    const running = this.replicas.filter(({ isRunning }) => isRunning);
    const found = await Promise.all(running.map((each) => this.#catchesUp(each, expected, problems)));
    const [late, gone] = ['late', 'gone'].map((what) => found.filter((each) => each === what).length);
    const lost = await this.#countLost(problems);
    readers.compareVersions(sent.acknowledged);
    for (const { name, unexpectedEnds, lines } of this.#servers) {
      if (unexpectedEnds > 0) problems.push(`${name} ended by itself: ${lines.at(-1)?.msg}`);
    }
    problems.push(...readers.examples);
    const { reads, failed, mixed } = readers;
    const { refused, unavailable } = sent;
    const acknowledged = sent.acknowledged.size;
    return { reads, failed, mixed, late, gone, lost, acknowledged, refused, unavailable, problems };
  }

  /** Stops everything at once. */
  async close(): Promise<void> {
    for (const each of this.writers) void each.stop();
    await this.readers.stop();
    await Promise.all([...this.#servers, ...this.#others].map((each) => each.kill()));
    for (const each of this.writers) each.close();
    await this.redis.kill();
    for (const each of this.#proxies) await each.close();
  }

  get #servers(): Server[] {
    return [...this.publishers, ...this.replicas];
  }

  /** Returns whether a replica serves a version, and waits for it if not. */
  async #catchesUp(replica: Server, expected: string, problems: string[]): Promise<'in time' | 'late' | 'gone'> {
    const read = () => versionOf(replica).catch((error: Error) => `unknown (${error.message})`);
    const first = await read();
    if (first === expected) return 'in time';
    const started = performance.now();
    let version = first;
    while (version !== expected && performance.now() - started < longestLate) {
      await sleep(50);
      version = await read();
    }
    const wait = ((performance.now() - started) / 1000).toFixed(1);
    const what = version === expected ? `${wait} s later` : `not ${wait} s later either, but ${version}`;
    problems.push(`${replica.name} serves ${first} and ${expected} ${what}`);
    return version === expected ? 'late' : 'gone';
  }

  /** Returns the most acknowledged changes that one server lacks. */
  async #countLost(problems: string[]): Promise<number> {
    let most = 0;
    for (const each of this.#servers.filter(({ isRunning }) => isRunning)) {
      const marks = await marksOf(each).catch(() => new Set<number>());
      const lost = Array.from(this.written.acknowledged.keys()).filter((number) => !marks.has(number));
      if (lost.length > 0)
        problems.push(`${each.name} lacks the acknowledged changes ${lost.slice(0, 5).join(', ')} …`);
      most = Math.max(most, lost.length);
    }
    return most;
  }

  async #proxy(): Promise<TcpProxy> {
    const proxy = await TcpProxy.to(this.redis.port);
    this.#proxies.push(proxy);
    return proxy;
  }

  async #server(name: string, proxy: TcpProxy, args: string[], settings: object): Promise<Server> {
    const cacheDir = join(this.folder, `${name}-cache`);
    mkdirSync(cacheDir);
    const config = join(this.folder, `${name}.json`);
    writeFileSync(config, JSON.stringify({ cacheDir, log: { format: 'json' }, ...settings }));
    return new Server({
      name,
      port: await freePort(),
      adminPort: await freePort(),
      args: [...args, '--config', config],
      proxy,
      logFile: join(this.folder, `${name}.log`),
    });
  }
}

export async function versionOf({ port }: Server): Promise<string> {
  const { status, version } = await ask(port, urls[0]);
  if (status !== 200 || version === undefined) throw new Error(`status ${status}`);
  return version;
}

async function marksOf({ port }: Server): Promise<Set<number>> {
  const marks = new Set<number>();
  for (let page = 1; ; page++) {
    const { body } = await ask(port, marksUrl(page));
    const { data } = JSON.parse(body.toString()) as { data: { number: number }[] };
    for (const { number } of data) marks.add(number);
    if (data.length < marksPageSize) return marks;
  }
}

function addressOf({ port }: TcpProxy): string {
  return `redis://127.0.0.1:${port}/0`;
}
