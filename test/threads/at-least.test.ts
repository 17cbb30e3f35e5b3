// The request header `X-Lectern-At-Least` in `lectern serve --threads 2`. The reader of the source is one of tests.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { ScriptedProject, scriptedReaders } from '../source/scripted/project.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { type AskOptions, askServer } from '../support/http.ts';
import { samples, until } from '../support/server.ts';
import { connectionsByThread, endProcessesAfterEach, type ServingProcess, startProcess } from '../support/threads.ts';

endProcessesAfterEach();
afterEach(() => void vi.unstubAllEnvs());

const settings = {
  public: true,
  log: { requests: true, format: 'json' },
  admin: { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'pin'] }] },
};
const flags = ['--threads', '2', '--admin-port', '0'];
const path = '/api/things/one';

async function clientOf(server: ServingProcess) {
  const send = (method: string, at: string, body: object = {}) => {
    const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
    return askServer(server.adminPort!, at, { method, headers, body: JSON.stringify(body) });
  };
  const asks = [...(await connectionsByThread(server, 2)).values()];
  const metrics = async () => samples((await askServer(server.adminPort!, '/_metrics')).body.toString());
  return {
    ...server,
    send,
    metrics,
    /** Asks each thread. */
    askAll: (least: string, options: AskOptions = {}) =>
      asks.map((ask) => ask(path, { ...options, headers: { 'X-Lectern-At-Least': least } })),
    untilWaiting: (count: number) => until(async () => (await metrics()).get('lectern_http_version_waits') === count),
  };
}

async function start() {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title: 'first' }]);
  const file = join(temporaryFolder(), 'things.json');
  writeFileSync(file, JSON.stringify(snapshot));
  const client = await clientOf(await startProcess(file, flags, settings));
  const version = (await askServer(client.port, path)).headers['x-lectern-version'] as string;
  const epoch = Number.parseInt(version, 10);
  const change = async (title: string) => {
    const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title } }];
    return (await client.send('POST', '/_changes', { changes })).json().version as string;
  };
  return { ...client, epoch, change };
}

async function titles(asked: ReturnType<Awaited<ReturnType<typeof clientOf>>['askAll']>) {
  const answers = await Promise.all(asked);
  return answers.map(({ status, json }) => (status === 200 ? json().data.title : [status, json().error.message]));
}

function testThreads(): void {
  test('every thread answers when it serves the version, and says why it cannot wait', async () => {
    const { askAll, change, epoch, untilWaiting, send, metrics } = await start();
    expect(await titles(askAll(`${epoch}-0`))).toEqual(['first', 'first']);
    const asked = askAll(`${epoch}-1`);
    await untilWaiting(2);
    expect(await change('second')).toBe(`${epoch}-1`);
    expect(await titles(asked)).toEqual(['second', 'second']);

    expect(await titles(askAll('second'))).toEqual(Array(2).fill([400, expect.stringContaining('is neither')]));
    expect(await titles(askAll(`${epoch + 1}-0`))).toEqual(
      Array(2).fill([503, expect.stringContaining('has not loaded')]),
    );
    expect(await titles(askAll('2026-11-28T18:00:00.000Z'))).toEqual(
      Array(2).fill([400, expect.stringContaining('follows no source')]),
    );
    expect(await titles(askAll(`${epoch}-2`))).toEqual(Array(2).fill([503, expect.stringContaining('2 seconds')]));
    expect((await metrics()).get('lectern_http_version_timeouts_total')).toBe(2);

    expect((await send('PUT', '/_pin', { version: `${epoch}-0` })).status).toBe(200);
    const pinned = askAll(`${epoch}-1`);
    await untilWaiting(2);
    expect((await send('DELETE', '/_pin')).status).toBe(200);
    expect(await titles(pinned)).toEqual(['second', 'second']);
  });

  test('a stop ends the waits of every thread with a 503', async () => {
    const { askAll, epoch, untilWaiting, child, exit } = await start();
    const asked = askAll(`${epoch}-1`);
    await untilWaiting(2);
    child.kill('SIGTERM');
    expect(await titles(asked)).toEqual(Array(2).fill([503, 'The server is stopping']));
    expect(await exit).toEqual([0, null]);
  });

  test('every thread answers when the source was read at the time, changed or not', async () => {
    vi.stubEnv('NODE_OPTIONS', scriptedReaders);
    const project = new ScriptedProject('First');
    const { askAll, untilWaiting } = await clientOf(await startProcess(project.folder, flags, settings));
    expect(await titles(askAll('2000-01-01T00:00:00Z'))).toEqual(['First', 'First']);
    const asked = askAll(new Date().toISOString());
    await untilWaiting(2);
    project.change('Second');
    expect(await titles(asked)).toEqual(['Second', 'Second']);
    const future = new Date(Date.now() + 60_000).toISOString();
    expect(await titles(askAll(future))).toEqual(Array(2).fill([503, expect.stringContaining('2 seconds')]));
  });
}

if (canShareMemory) testThreads();

test('one thread answers when the source was read at the time', async () => {
  vi.stubEnv('NODE_OPTIONS', scriptedReaders);
  const project = new ScriptedProject('First');
  const { port } = await startProcess(project.folder, ['--admin-port', '0'], settings);
  const asked = askServer(port, path, { headers: { 'X-Lectern-At-Least': new Date().toISOString() } });
  project.change('Second');
  expect((await asked).json().data.title).toBe('Second');
});
