/** A production database may be read: short transactions that only read, over one connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import type { SourceChange } from '../../../src/follow/source-reader.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { until } from '../../support/server.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { type MuseumServer, museumAt, museumServers, tablesOf, writeLabel } from './museum-servers.ts';

const user = 'reader';
const password = 'a-reader-Pa55word';

/** The statements that may be sent. */
const reads = {
  postgres:
    /^(BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY|ROLLBACK|SELECT |DECLARE lectern_\d+ NO SCROLL CURSOR FOR SELECT |FETCH 500 FROM|SET LOCAL (search_path|statement_timeout|idle_in_transaction_session_timeout|datestyle|extra_float_digits|row_security|cursor_tuple_fraction) TO |LOCK TABLE .* IN ACCESS SHARE MODE NOWAIT$)/,
  mysql:
    /^(SET SESSION (sql_mode = 'ANSI_QUOTES', lock_wait_timeout = 1 |TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY$|wait_timeout = )|START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY$|ROLLBACK$|SELECT |CHECKSUM TABLE |SHOW GLOBAL (VARIABLES|STATUS) |SHOW SESSION STATUS )/,
};

/** What holds a table as Strapi does while it changes its columns, and what ends that. */
const held = {
  postgres: ['BEGIN; ALTER TABLE tags ADD COLUMN heft integer', 'ROLLBACK'],
  mysql: ['LOCK TABLES tags WRITE', 'UNLOCK TABLES'],
};

/** Samples the transactions and connections of the user until `end`. */
class Samples {
  oldest = 0;
  connections = 0;
  #isEnded = false;
  readonly #sampling: Promise<void>;

  constructor(server: MuseumServer) {
    this.#sampling = this.#sample(server);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#sampling;
  }

  async #sample(server: MuseumServer): Promise<void> {
    const session = await server.connect();
    while (!this.#isEnded) {
      const [[connections, oldest]] = await session.query(server.activityOf(user));
      this.oldest = Math.max(this.oldest, Number(oldest));
      this.connections = Math.max(this.connections, Number(connections));
      // MariaDB shows transactions as they were, to who asks more often than each 100 ms
      await sleep(150);
    }
    await session.end();
  }
}

describe.each(museumServers)('%s', (_, start, logged) => {
  let server: MuseumServer;
  let proxy: TcpProxy;
  let folder: string;
  let reader: ProjectReader;

  beforeAll(async () => {
    server = await start(...logged);
    await server.addReader(user, password, await tablesOf(server));
    proxy = await TcpProxy.to(server.port);
    folder = museumAt(server.urlOf({ user, password, port: proxy.port }));
  });

  afterAll(async () => {
    await proxy?.close();
    await server?.stop();
  });

  beforeEach(() => {
    proxy.delay = 0;
    reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
  });

  afterEach(() => reader.close());

  async function deleteLink(): Promise<void> {
    const [first] = await server.run('SELECT min(id) FROM exhibits_tags_lnk');
    await server.run(`DELETE FROM exhibits_tags_lnk WHERE id = ${first}`);
  }

  const begins = async () =>
    (await server.statementsOf(user)).filter((statement) => /^(BEGIN|START TRANSACTION)/.test(statement)).length;

  test('sends nothing but transactions that read, over one connection', async () => {
    const samples = new Samples(server);
    await reader.load({});
    await writeLabel(server, 'other');
    await reader.next();
    await deleteLink();
    await reader.next();
    await samples.end();
    expect(samples.connections).toBe(1);
    const statements = await server.statementsOf(user);
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter((statement) => !reads[server.client].test(statement))).toEqual([]);
  });

  test('reads a large content in transactions of less than five seconds, beside writes', async () => {
    proxy.delay = 20;
    const samples = new Samples(server);
    const begun = await begins();
    let isLoaded = false;
    const writing = (async () => {
      for (let n = 0; !isLoaded && n < 40; n++) {
        await writeLabel(server, `label ${n}`);
        await deleteLink();
        await sleep(200);
      }
    })();
    const loaded = await reader.load({});
    isLoaded = true;
    await writing;
    await samples.end();
    proxy.delay = 0;
    expect((await begins()) - begun).toBeGreaterThan(3);
    expect(samples.oldest).toBeLessThan(5);
    await writeLabel(server, 'the last');
    let followed = loaded;
    for (let change: SourceChange | null = null; !JSON.stringify(change)?.includes('the last'); ) {
      change = await reader.next();
      if (change.kind !== 'batch') throw new Error(change.reason);
      followed = applyTo(followed, change.batch);
    }
    expect(essenceOf(followed)).toEqual(essenceOf(await loadSnapshot(folder)));
  });

  test.each([
    ['adds', 'ADD COLUMN heft integer', 'DROP COLUMN heft'],
    ['renames', 'RENAME COLUMN label TO name', 'RENAME COLUMN name TO label'],
    ['retypes', { postgres: 'ALTER COLUMN label TYPE text', mysql: 'MODIFY label longtext' }, null],
    ['removes', 'DROP COLUMN label', 'ADD COLUMN label varchar(255)'],
  ])('a Strapi that %s an attribute during a read makes it begin again', async (_kind, change, undo) => {
    proxy.delay = 20;
    const begun = await begins();
    const loading = reader.load({}).then(
      () => null,
      (error) => error,
    );
    // the first transaction reads the schema
    await until(async () => (await begins()) > begun + 1);
    const started = performance.now();
    await server.run(`ALTER TABLE tags ${typeof change === 'string' ? change : change[server.client]}`);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(await loading).toBeInstanceOf(SourceAwayError);
    if (undo) await server.run(`ALTER TABLE tags ${undo}`);
  });

  test('a table that Strapi changes is not waited for', async () => {
    await reader.load({});
    await server.run(`UPDATE exhibits SET title = 'other', updated_at = localtimestamp(6)`);
    const strapi = await server.connect();
    const [hold, release] = held[server.client];
    // MySQL then takes no writes of exhibits either, which foreign keys lead to
    await strapi.query(hold);
    await expect(reader.next()).rejects.toThrow(/Strapi may be changing its tables/);
    await strapi.query(release);
    await strapi.end();
    expect(await reader.next()).toMatchObject({
      kind: 'batch',
      batch: { entities: expect.arrayContaining([expect.objectContaining({ type: 'api::exhibit.exhibit' })]) },
    });
  });

  test('more changes than a transaction has time for are read in several', async () => {
    const loaded = await reader.load({});
    await server.run(`UPDATE exhibits SET title = concat(title, '!'), updated_at = localtimestamp(6)`);
    proxy.delay = { postgres: 250, mysql: 150 }[server.client];
    const change = await reader.next();
    expect(change).toMatchObject({ kind: 'reload', reason: expect.stringContaining('more has changed') });
    proxy.delay = 0;
    const again = await reader.load({});
    expect(again.store.contentDigest).not.toBe(loaded.store.contentDigest);
    expect(essenceOf(again)).toEqual(essenceOf(await loadSnapshot(folder)));
  });
});
