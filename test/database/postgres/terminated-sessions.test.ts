/** The session of a reader is terminated at every step: the reader reads on, and loses no change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { PostgresServer } from './postgres-server.ts';
import { projectAt, restore } from './recorded.ts';
import { TcpProxy } from './tcp-proxy.ts';

let server: PostgresServer;
let client: pg.Client;
let proxy: TcpProxy;
let folder: string;
let reader: ProjectReader;

beforeAll(async () => {
  server = await PostgresServer.start();
  restore('archive', server);
  client = await server.connect();
  proxy = await TcpProxy.to(server.port);
  folder = projectAt('archive', `postgres://strapi@127.0.0.1:${proxy.port}/postgres`);
});

afterAll(async () => {
  await client?.end();
  await proxy?.close();
  await server?.stop();
});

beforeEach(() => {
  reader = new ProjectReader({ kind: 'project', folder, compareSeconds: 3600 }, () => {});
});

afterEach(async () => {
  proxy.beforeMessage = null;
  await reader.close();
});

/** Terminates the session of the reader, and waits for its end. Before the first message of a connection there is none. */
async function terminate(): Promise<void> {
  const { rows } = await client.query(
    `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lectern'`,
  );
  const isThere = async ({ pid }: { pid: number }) =>
    (await client.query(`SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`)).rows.length > 0;
  for (const session of rows) while (await isThere(session)) await sleep(1);
}

/** Messages that look, begin a state and open the content. The later ones read one table after the other. */
const opening = 40;

/**
 * Runs a read until it sends too few messages. In each run, the session is terminated at another message, counted from 1:
 * before the server gets the message, or while it may be answering. Returns the number of failures. After each, a follower
 * has to read again.
 */
async function terminateAtEachStep(when: 'before' | 'beside', read: (step: number) => Promise<void>): Promise<number> {
  let failures = 0;
  for (let step = 1, isOver = false; !isOver; step += step < opening ? 1 : 5) {
    let messages = 0;
    let terminated: Promise<void> | undefined;
    proxy.beforeMessage = async () => {
      if (++messages !== step) return;
      terminated = terminate();
      if (when === 'before') await terminated;
    };
    try {
      await read(step);
      isOver = !terminated;
    } catch (error) {
      failures++;
      expect(error).toBeInstanceOf(SourceAwayError);
    }
    await terminated;
  }
  proxy.beforeMessage = null;
  return failures;
}

test('a load fails for now when its session is terminated before any message', async () => {
  const failures = await terminateAtEachStep('before', async () => void (await reader.load({})));
  expect(failures).toBeGreaterThan(50);
  expect(essenceOf(await reader.load({}))).toEqual(essenceOf(await loadSnapshot(folder)));
});

test.each([
  ['before', 10],
  ['beside', 1],
] as const)('no change is lost when the session is terminated %s any message', async (when, least) => {
  let followed = await reader.load({});
  const change = async (name: string) => {
    await client.query(`UPDATE people SET name = '${name}' WHERE id = (SELECT min(id) FROM people)`);
  };
  const take = async () => {
    const change = await reader.next();
    if (change.kind !== 'batch') throw new Error(change.reason);
    followed = applyTo(followed, change.batch);
    return change.batch;
  };
  const failures = await terminateAtEachStep(when, async (step) => {
    await change(`${when} ${step}`);
    expect((await take()).entities).toMatchObject([{ data: { name: `${when} ${step}` } }]);
  });
  expect(failures).toBeGreaterThanOrEqual(least);
  await change(`${when} last`);
  await take();
  expect(essenceOf(followed)).toEqual(essenceOf(await loadSnapshot(folder)));
});
