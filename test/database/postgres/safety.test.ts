/** A production database may be read: short transactions that only read, over one connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { until } from '../../support/server.ts';
import { PostgresServer } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';
import { TcpProxy } from './tcp-proxy.ts';

let server: PostgresServer;
let proxy: TcpProxy;
let folder: string;
let reader: ProjectReader;
let databases = 0;

beforeAll(async () => {
  server = await PostgresServer.start('log_statement=all', 'log_line_prefix=%a|%d| ');
  await server.query('CREATE DATABASE museum');
  restore('museum', server, 'museum');
  proxy = await TcpProxy.to(server.port);
});

afterAll(async () => {
  await proxy?.close();
  await server?.stop();
});

const database = () => `museum_${databases}`;

beforeEach(async () => {
  databases++;
  proxy.delay = 0;
  await server.query(`CREATE DATABASE ${database()} TEMPLATE museum`);
  folder = projectAt('museum', `postgres://strapi@127.0.0.1:${proxy.port}/${database()}`);
  reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
});

afterEach(() => reader.close());

async function run(sql: string): Promise<void> {
  const client = await server.connect(database());
  await client.query(sql);
  await client.end();
}

const begins = () =>
  server.log.split('\n').filter((line) => line.startsWith(`lectern|${database()}|`) && line.includes('BEGIN')).length;

/** Samples the transactions and connections of Lectern until `end`. */
class Samples {
  oldest = 0;
  connections = 0;
  #isEnded = false;
  readonly #sampling = this.#sample();

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#sampling;
  }

  async #sample(): Promise<void> {
    const client = await server.connect();
    while (!this.#isEnded) {
      const { rows } = await client.query(
        `SELECT count(*)::int AS connections, coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0)::float AS oldest FROM pg_stat_activity WHERE application_name = 'lectern'`,
      );
      this.oldest = Math.max(this.oldest, rows[0].oldest);
      this.connections = Math.max(this.connections, rows[0].connections);
      await sleep(50);
    }
    await client.end();
  }
}

test('logs nothing but transactions that read, over one connection', async () => {
  const samples = new Samples();
  await reader.load({});
  await run(`UPDATE tags SET label = 'other' WHERE id = (SELECT min(id) FROM tags)`);
  await reader.next();
  await run(`DELETE FROM exhibits WHERE id = (SELECT min(id) FROM exhibits)`);
  await reader.next();
  await samples.end();
  expect(samples.connections).toBe(1);
  const own = server.log.split('\n').filter((line) => line.startsWith(`lectern|${database()}|`));
  const statements = own.map((line) => /LOG: {2}(?:statement|execute [^:]*): (.*)/.exec(line)?.[1]).filter(Boolean);
  expect(statements.length).toBeGreaterThan(10);
  const parts = statements.flatMap((statement) => statement!.split('; '));
  const reads =
    /^(BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY|ROLLBACK|SELECT |DECLARE lectern_\d+ NO SCROLL CURSOR FOR SELECT |FETCH 500 FROM|SET LOCAL (search_path|statement_timeout|idle_in_transaction_session_timeout|datestyle|extra_float_digits|row_security|cursor_tuple_fraction) TO |LOCK TABLE .* IN ACCESS SHARE MODE NOWAIT$)/;
  expect(parts.filter((part) => !reads.test(part))).toEqual([]);
  expect(own.filter((line) => /execute|PREPARE|ERROR/.test(line))).toEqual([]);
});

test('reads a large content in transactions of less than five seconds, beside writes', async () => {
  proxy.delay = 12;
  const samples = new Samples();
  let isLoaded = false;
  const writing = (async () => {
    for (let n = 0; !isLoaded && n < 40; n++) {
      await run(`UPDATE tags SET label = 'label ${n}' WHERE id = (SELECT max(id) - ${n % 3} FROM tags)`);
      await run(`DELETE FROM exhibits WHERE id = (SELECT max(id) FROM exhibits)`);
      await sleep(100);
    }
  })();
  const loaded = await reader.load({});
  isLoaded = true;
  await writing;
  await samples.end();
  proxy.delay = 0;
  const begun = server.log
    .split('\n')
    .filter((line) => line.startsWith(`lectern|${database()}|`) && /BEGIN/.test(line));
  expect(begun.length).toBeGreaterThan(3);
  expect(samples.oldest).toBeLessThan(5);
  await run(`UPDATE tags SET label = 'the last' WHERE id = (SELECT max(id) FROM tags)`);
  let followed = loaded;
  for (let change: SourceChange | null = null; !JSON.stringify(change)?.includes('the last'); ) {
    change = await reader.next();
    if (change.kind !== 'batch') throw new Error(change.reason);
    followed = applyTo(followed, change.batch);
  }
  expect(essenceOf(followed)).toEqual(essenceOf(await loadSnapshot(folder)));
});

test.each([
  ['adds', `ALTER TABLE tags ADD COLUMN heft integer`],
  ['removes', `ALTER TABLE tags DROP COLUMN label`],
  ['renames', `ALTER TABLE tags RENAME COLUMN label TO name`],
  ['retypes', `ALTER TABLE tags ALTER COLUMN label TYPE text`],
])('a Strapi that %s an attribute during a read makes it begin again', async (_, sql) => {
  proxy.delay = 20;
  const loading = reader.load({}).then(
    () => null,
    (error) => error,
  );
  // the first transaction reads the schema
  await until(() => begins() > 1);
  const started = performance.now();
  await run(sql);
  expect(performance.now() - started).toBeLessThan(5000);
  expect(await loading).toBeInstanceOf(SourceAwayError);
});

test('a table that Strapi changes is not waited for', async () => {
  await reader.load({});
  const strapi = await server.connect(database());
  await strapi.query('BEGIN; ALTER TABLE tags ADD COLUMN heft integer');
  await run(`UPDATE exhibits SET title = 'other' WHERE id = (SELECT min(id) FROM exhibits)`);
  await expect(reader.next()).rejects.toThrow(/Strapi may be changing its tables/);
  await strapi.query('ROLLBACK');
  await strapi.end();
  expect(await reader.next()).toMatchObject({ kind: 'batch', batch: { entities: [{ type: 'api::exhibit.exhibit' }] } });
});

test('the tables of a Strapi that are rewritten are read again, not as empty', async () => {
  await reader.load({});
  await run(`ALTER TABLE tags ALTER COLUMN label TYPE text USING label || '!'`);
  const change = await reader.next();
  if (change.kind !== 'batch') throw new Error(change.reason);
  const labels = change.batch.entities.map(({ data }) => String(data?.label));
  expect(labels.length).toBeGreaterThan(3);
  expect(labels.every((label) => label.endsWith('!') || label === 'null')).toBe(true);
});

test('more changes than a transaction has time for are read in several', async () => {
  const loaded = await reader.load({});
  await run(`UPDATE exhibits SET title = title || '!'; UPDATE tags SET label = label || '!'`);
  proxy.delay = 250;
  const change = await reader.next();
  expect(change).toMatchObject({ kind: 'reload', reason: expect.stringContaining('more has changed') });
  proxy.delay = 0;
  const again = await reader.load({});
  expect(again.store.contentDigest).not.toBe(loaded.store.contentDigest);
  expect(essenceOf(again)).toEqual(essenceOf(await loadSnapshot(folder)));
});
