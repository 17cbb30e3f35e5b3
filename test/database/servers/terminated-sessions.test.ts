/** The session of a reader is terminated at every step: the reader reads on, and loses no change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SourceAwayError } from '../../../src/core/errors.ts';
import { ProjectReader } from '../../../src/follow/project/project-reader.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { applyTo, essenceOf } from '../../source/project/followed-content.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { type MuseumServer, museumAt, museumServers, type Session, tablesOf, writeLabel } from './museum-servers.ts';

/** Messages at the beginning of a read, at each of which the session is terminated. Later ones are of one kind. */
const opening = 20;
const user = 'reader';
const password = 'a-reader-Pa55word';

describe.each(museumServers)('%s', (_, start) => {
  let server: MuseumServer;
  let session: Session;
  let proxy: TcpProxy;
  let folder: string;
  let reader: ProjectReader;

  beforeAll(async () => {
    server = await start();
    await server.addReader(user, password, await tablesOf(server));
    session = await server.connect();
    proxy = await TcpProxy.to(server.port);
    folder = museumAt(server.urlOf({ user, password, port: proxy.port }));
  });

  afterAll(async () => {
    await session?.end();
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

  /**
   * Terminates the session of the reader, and waits for its end. Before the first message of a connection there is none, and
   * the reader may already have another one.
   */
  async function terminate(): Promise<void> {
    const sessions = async () => (await session.query(server.sessionsOf(user))).map(([id]) => id);
    const ended = await sessions();
    await server.endSessions(user);
    while ((await sessions()).some((id) => ended.includes(id))) await sleep(1);
  }

  /**
   * Runs a read until it sends too few messages. In each run, the session is terminated at another message, counted from 1:
   * every message at the beginning, then one of `every`, before the server gets the message, or while it may be answering.
   * Returns the number of failures. After each, a follower has to read again.
   */
  async function terminateAtEachStep(
    when: 'before' | 'beside',
    every: number,
    read: (step: number) => Promise<void>,
  ): Promise<number> {
    let failures = 0;
    for (let step = 1, isOver = false; !isOver; step += step < opening ? 1 : every) {
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
    const failures = await terminateAtEachStep('before', 15, async () => void (await reader.load({})));
    expect(failures).toBeGreaterThan(20);
    expect(essenceOf(await reader.load({}))).toEqual(essenceOf(await loadSnapshot(folder)));
  });

  test.each([
    ['before', 10],
    ['beside', 1],
  ] as const)('no change is lost when the session is terminated %s any message', async (when, least) => {
    let followed = await reader.load({});
    const take = async () => {
      const change = await reader.next();
      if (change.kind !== 'batch') throw new Error(change.reason);
      followed = applyTo(followed, change.batch);
      return change.batch;
    };
    const failures = await terminateAtEachStep(when, 2, async (step) => {
      await writeLabel(server, `${when} ${step}`);
      expect((await take()).entities).toMatchObject([{ data: { label: `${when} ${step}` } }]);
    });
    expect(failures).toBeGreaterThanOrEqual(least);
    await writeLabel(server, `${when} last`);
    await take();
    expect(essenceOf(followed)).toEqual(essenceOf(await loadSnapshot(folder)));
  });
});
