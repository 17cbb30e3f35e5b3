// `/_pin` of `lectern serve` and `lectern pin`, with two threads where Node can share memory.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { commandsOf, pageAt } from '../documents/pages.ts';
import { moduleFile, removeModulesAfterAll } from '../extend/module.ts';
import { cli } from '../support/cli.ts';
import { connect, endStreams } from '../support/event-streams.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples, until } from '../support/server.ts';
import { connectionsByThread, ending, endProcessesAfterEach, startProcess } from '../support/threads.ts';

endProcessesAfterEach();
removeModulesAfterAll();
afterEach(endStreams);

const run = promisify(execFile);

const settings = {
  log: { format: 'json', requests: true },
  public: true,
  admin: { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'events', 'pin', 'reload'] }] },
};

async function start() {
  const folder = temporaryFolder();
  const write = (title: string) => {
    const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
    writeFileSync(join(folder, 'things.json'), JSON.stringify(snapshot));
  };
  write('first');
  const flags = ['--threads', '2', '--admin-port', '0', '--extend', moduleFile(ending)];
  const server = await startProcess(join(folder, 'things.json'), flags, settings);
  const { port, adminPort } = server;
  const send = (path: string, body?: object) =>
    askServer(adminPort!, path, {
      method: 'POST',
      headers: { Authorization: 'Bearer admin', 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  return {
    ...server,
    write,
    change: async (title: string) => {
      const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title } }];
      return (await send('/_changes', { changes })).json() as { version: string; pinned?: string };
    },
    reload: async () => (await send('/_reload')).json(),
    /** Runs `lectern pin` and returns what it prints. */
    pin: async (...args: string[]) => {
      const env = { ...process.env, LECTERN_ADMIN_TOKEN: 'admin' };
      const url = `http://127.0.0.1:${adminPort}`;
      const { stdout } = await run(process.execPath, [cli, 'pin', ...args, '--url', url], { env });
      return stdout;
    },
    versionOf: async () => (await askServer(port, '/api/things/one')).headers['x-lectern-version'] as string,
    metrics: async () => samples((await askServer(adminPort!, '/_metrics')).body.toString()),
  };
}

const isReplaced = ({ msg }: Record<string, unknown>) => msg === 'a thread ended unexpectedly and is replaced';

function testThreads(): void {
  test('every thread serves the pinned version until it is released, one that is replaced meanwhile, too', async () => {
    const server = await start();
    const { change, reload, pin, write, versionOf, metrics, adminPort } = server;
    const first = await versionOf();
    const { version: second } = await change('second');
    const reader = await connect(adminPort!);
    const expectAll = async (title: string, version: string) => {
      const asks = [...(await connectionsByThread(server, 2)).values()];
      // from the cache in the end
      for (let time = 0; time < 3; time++) {
        const answers = await Promise.all(asks.map((ask) => ask('/api/things/one')));
        for (const answer of answers) {
          expect([answer.json().data.title, answer.headers['x-lectern-version']]).toEqual([title, version]);
        }
      }
    };
    await expectAll('second', second);
    expect(await pin(first)).toBe(
      `Serving is pinned to ${first}. The latest one is ${second}. "lectern pin latest" ends that.\n`,
    );
    await expectAll('first', first);
    expect(await change('third')).toMatchObject({ pinned: first });
    await (await connectionsByThread(server, 2)).get(2)!('/api/end');
    await server.line(isReplaced);
    await expectAll('first', first);
    expect((await metrics()).get('lectern_pinned')).toBe(1);
    write('loaded');
    expect(await reload()).toMatchObject({ isNew: true, pinned: first });
    await change('fourth');
    await expectAll('first', first);
    expect(await pin(second)).toContain(`Serving is pinned to ${second}.`);
    await expectAll('second', second);
    const released = await pin('latest');
    const last = await versionOf();
    expect(released).toBe(`The latest version is served: ${last}.\n`);
    await expectAll('fourth', last);
    const { version: next } = await change('fifth');
    await until(() => reader.events().length === 4);
    expect(reader.events().map(({ event, data }) => [event, data.version])).toEqual([
      ['reset', first],
      ['reset', second],
      ['reset', last],
      ['stale', next],
    ]);
    await expectAll('fifth', next);
  });
}

if (canShareMemory) testThreads();

test('the commands of docs/live-content.md list the versions, pin one and end the pin', async () => {
  const { pin, change, versionOf } = await start();
  const commands = commandsOf(pageAt('docs/live-content.md')).filter((command) => command.startsWith('lectern pin'));
  const first = await versionOf();
  const { version: second } = await change('second');
  const words = commands.map((command) => command.split(' ').slice(2));
  const printed: string[] = [];
  for (const args of words) printed.push(await pin(...args.map((word) => word.replace(/^\d+-\d+$/, first))));
  expect(words).toEqual([[], [expect.stringMatching(/^\d+-\d+$/)], ['latest']]);
  expect(printed).toEqual([
    expect.stringMatching(new RegExp(`^${second} is served \\(the latest version\\)[^]*\n${first}`)),
    expect.stringContaining(`Serving is pinned to ${first}.`),
    expect.stringContaining(`The latest version is served: ${second}.`),
  ]);
});
