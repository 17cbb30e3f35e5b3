/** The disk of the server is full: the content stays, and follows again when there is room. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../support/server.ts';
import { endProcessesAfterEach, type ServingProcess, startProcess } from '../../support/threads.ts';
import { isMysql } from '../mysql/mysql-server.ts';
import { type MuseumServer, museumAt, museumServers, type Session, writeLabel } from './museum-servers.ts';
import { Readers, untilShown } from './readers.ts';
import { SmallDisk } from './small-disk.ts';

endProcessesAfterEach();

/** Settings by which the log of PostgreSQL fits on the disk. */
const settings: Record<string, readonly string[]> = { PostgreSQL: ['min_wal_size=32MB', 'max_wal_size=32MB'] };

describe.each(museumServers)('%s', (name, start) => {
  let disk: SmallDisk;
  let server: MuseumServer;
  let session: Session;

  beforeAll(async () => {
    disk = new SmallDisk('256m');
    server = await disk.use(() => start(...(settings[name] ?? [])));
    await server.run('CREATE TABLE ballast (text text)');
    session = await server.connect();
  });

  afterAll(async () => {
    await session?.end().catch(() => {});
    await server?.stop(true);
    disk?.unmount();
  });

  /** Changes a label, and returns the milliseconds until it is shown. */
  async function write(serving: ServingProcess, label: string): Promise<number> {
    await writeLabel(server, label);
    return untilShown(serving, label);
  }

  test('no read fails, and following goes on when there is room', async () => {
    const serving = await startProcess(museumAt(server.urlOf()), [], { public: true });
    const readers = new Readers(serving);
    await write(serving, 'before');

    // no room for a table
    disk.fill();
    const rows = Array.from({ length: 5000 }, () => `('${'x'.repeat(1000)}')`).join();
    const refusal = await untilRefused(() => session.query(`INSERT INTO ballast VALUES ${rows}`));
    expect(refusal).toMatch(/No space left on device|The table '\w+' is full/);
    await sleep(1000);
    disk.makeRoom();
    expect(await write(serving, 'with-room')).toBeLessThan(10_000);
    expect(await write(serving, 'with-room-2')).toBeLessThan(1000);

    // no room for the log
    disk.fill();
    await (server.client === 'postgres' ? endByFullLog() : waitForRoomInLog(serving));
    expect(await write(serving, 'later')).toBeLessThan(10_000);
    expect(await write(serving, 'later-2')).toBeLessThan(1000);
    await readers.end();
    expect(readers.reads).toBeGreaterThan(100);
    expect(readers.failures).toBe(0);
  });

  /** Without room for its log, PostgreSQL ends all sessions, and at last itself. Starts it again with room. */
  async function endByFullLog(): Promise<void> {
    await untilRefused(() => session.query(`SELECT pg_logical_emit_message(true, 'ballast', repeat('x', 1000000))`));
    await until(async () => !(await isUp()));
    await sleep(3000);
    disk.makeRoom();
    await server.stop(true);
    await server.start();
  }

  const isUp = () =>
    server.run('SELECT 1').then(
      () => true,
      () => false,
    );

  /**
   * Without room for its log, a commit to MariaDB or MySQL waits. When there is room, it is made within a minute, on MariaDB as
   * soon as its session is ended. MySQL crashes then.
   */
  async function waitForRoomInLog(serving: ServingProcess): Promise<void> {
    let last = 0;
    let waiting: string[];
    let hasRoom = false;
    const writing = untilRefused(async () => {
      if (hasRoom) throw new Error('ends');
      await writeLabel(server, `waiting-${++last}`);
    });
    do waiting = await waitingSessions();
    while (waiting.length === 0);
    await sleep(3000);
    hasRoom = true;
    disk.makeRoom();
    if (!isMysql) for (const id of waiting) await server.run(`KILL CONNECTION ${id}`);
    await writing;
    expect(await untilShown(serving, `waiting-${last}`)).toBeLessThan(10_000);
  }

  async function waitingSessions(): Promise<string[]> {
    const sessions = await session.query('SHOW PROCESSLIST');
    const isWaiting = (seconds: unknown, statement: unknown) =>
      Number(seconds) >= 2 && /^UPDATE/.test(String(statement));
    return sessions.filter((row) => isWaiting(row[5], row[7])).map(([id]) => String(id));
  }
});

/** Repeats a statement until it fails, and returns why. */
async function untilRefused(run: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      await run();
    } catch (error) {
      return String(error);
    }
  }
}
