// `POST /_changes` of `lectern serve`, with two threads where Node can share memory.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { commandsOf, pageAt } from '../documents/pages.ts';
import { moduleFile, removeModulesAfterAll } from '../extend/module.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import {
  type Ask,
  connectionsByThread,
  ending,
  endProcessesAfterEach,
  type ServingProcess,
  spawnProcess,
  startProcess,
} from '../support/threads.ts';

endProcessesAfterEach();
removeModulesAfterAll();

const settings = {
  log: { format: 'json', requests: true },
  public: true,
  admin: { tokens: [{ name: 'editor', sha256: sha256('editor'), rights: ['changes', 'reload'] }] },
};

interface Running extends ServingProcess {
  change(title: string, options?: { key?: string; previous?: string }): Promise<HttpAnswer>;
  reload(query?: string): Promise<HttpAnswer>;
}

/** A new folder with a snapshot of one thing. */
function newFolder(title = 'before'): string {
  const folder = temporaryFolder();
  write(folder, title);
  return folder;
}

function write(folder: string, title: string): void {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
  writeFileSync(join(folder, 'things.json'), JSON.stringify(snapshot));
}

/** Starts as many threads as Node can, with the snapshot of a folder and a journal in it. */
async function start(folder: string, args: string[] = []): Promise<Running> {
  const all = [...argumentsOf(folder), ...args];
  const server = await startProcess(join(folder, 'things.json'), all, settings);
  const send = (path: string, headers: Record<string, string>, body?: string) =>
    askServer(server.adminPort!, path, {
      method: 'POST',
      headers: { Authorization: 'Bearer editor', ...headers },
      body,
    });
  return {
    ...server,
    change: (title, { key, previous } = {}) => {
      const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title } }];
      const headers = { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) };
      return send('/_changes', headers, JSON.stringify({ changes, previous }));
    },
    reload: (query = '') => send(`/_reload${query}`, {}),
  };
}

function argumentsOf(folder: string): string[] {
  return ['--threads', '2', '--admin-port', '0', '--journal', join(folder, 'journal')];
}

async function titleOf(ask: Ask): Promise<string> {
  return (await ask('/api/things/one')).json().data.title;
}

const askOf =
  ({ port }: ServingProcess): Ask =>
  (path, options) =>
    askServer(port, path, options);

test('changes that were answered are there after the process was killed, with their version and keys', async () => {
  const folder = newFolder();
  let sequence = 0;
  let running = await start(folder);
  expect(await titleOf(askOf(running))).toBe('before');
  for (let round = 0; round < 2; round++) {
    const { change, child, exit } = running;
    const first = (await change(`change ${++sequence}`, { key: `key ${round}` })).json();
    expect(first.sequence).toBe(sequence);
    for (let i = 0; i < 5; i++) await change(`change ${++sequence}`);
    // is not answered, and may be kept or not
    const cut = change(`change ${sequence + 1}`).catch(() => null);
    child.kill('SIGKILL');
    await Promise.all([exit, cut]);
    const again = await start(folder);
    const kept = (await askServer(again.port, '/api/things/one')).headers['x-lectern-version'] as string;
    const [epoch, last] = kept.split('-').map(Number);
    expect(first.version).toBe(`${epoch}-${first.sequence}`);
    expect([sequence, sequence + 1]).toContain(last);
    sequence = last;
    expect(await titleOf(askOf(again))).toBe(`change ${sequence}`);
    const repeated = await again.change(`change ${first.sequence}`, { key: `key ${round}` });
    expect(repeated.json()).toEqual(first);
    running = again;
  }
  running.child.kill('SIGTERM');
  expect(await running.exit).toEqual([0, null]);
});

test('a second process, and another snapshot, cannot have the journal', async () => {
  const folder = newFolder();
  const running = await start(folder);
  await running.change('after');
  const second = spawnProcess(join(folder, 'things.json'), ['--port', '0', ...argumentsOf(folder)], settings);
  expect(await second.exit).toEqual([1, null]);
  expect(second.lines.at(-1)!.msg).toMatch(/journal.lock is locked by process \d+ on .*\. Only one process/);
  running.child.kill('SIGTERM');
  await running.exit;
  write(folder, 'other');
  const other = spawnProcess(join(folder, 'things.json'), ['--port', '0', ...argumentsOf(folder)], settings);
  expect(await other.exit).toEqual([1, null]);
  expect(other.lines.at(-1)!.msg).toMatch(/^the journal \S+ belongs to version .* The content to serve has version /);
  rmSync(join(folder, 'journal'));
  expect(await titleOf(askOf(await start(folder)))).toBe('other');
});

test('a reload keeps the changes of the journal, refuses another snapshot, and discards them if it is asked to', async () => {
  const folder = newFolder();
  const running = await start(folder);
  const { change, reload } = running;
  const versionOf = async () => (await askServer(running.port, '/api/things')).headers['x-lectern-version'];
  const { version } = (await change('changed')).json();
  expect((await reload()).json()).toMatchObject({ isNew: false });
  expect([await titleOf(askOf(running)), await versionOf()]).toEqual(['changed', version]);
  write(folder, 'new');
  const refused = await reload();
  expect([refused.status, refused.json().error.message]).toEqual([
    422,
    'the snapshot has changed, and the journal holds changes to the one before. Send POST /_reload?changes=replay to take over those that fit, or POST /_reload?changes=discard to serve it without them',
  ]);
  expect((await reload('?changes=keep')).json().error).toMatchObject({
    status: 400,
    message: 'query: changes must be discard or replay, is "keep"',
  });
  expect(await titleOf(askOf(running))).toBe('changed');
  expect((await reload('?changes=discard')).json()).toMatchObject({ isNew: true });
  expect(await titleOf(askOf(running))).toBe('new');
  const next = (await change('newer')).json();
  expect(next.sequence).toBe(1);
  expect(next.version.split('-')[0]).not.toBe(version.split('-')[0]);
  running.child.kill('SIGKILL');
  await running.exit;
  const again = await start(folder);
  expect(await titleOf(askOf(again))).toBe('newer');
});

test('a reload that replays the journal serves its changes over the new snapshot, in every thread', async () => {
  const folder = newFolder();
  const running = await start(folder);
  await running.change('changed');
  write(folder, 'new');
  const { version, replayed } = (await running.reload('?changes=replay')).json();
  expect(replayed).toEqual({ taken: 1, left: null });
  const ask = askOf(running);
  for (let i = 0; i < 8; i++) expect(await titleOf(ask)).toBe('changed');
  const next = (await running.change('newer')).json();
  expect(next.sequence).toBe(2);
  for (let i = 0; i < 8; i++) expect(await titleOf(ask)).toBe('newer');
  expect(version).not.toBe((await askServer(running.port, '/api/things')).headers['x-lectern-snapshot']);
  running.child.kill('SIGKILL');
  await running.exit;
  expect(await titleOf(askOf(await start(folder)))).toBe('newer');
});

test('the commands of docs/live-content.md change the demo', async () => {
  const command = commandsOf(pageAt('docs/live-content.md')).find((each) => each.includes('/_changes'))!;
  const [, body] = /--data '([^']+)'/.exec(command)!;
  const journal = join(temporaryFolder(), 'journal');
  const demo = new URL('../../data/demo', import.meta.url).pathname;
  const { port, adminPort } = await startProcess(demo, ['--admin-port', '0', '--journal', journal], settings);
  const sent = Array.from(command.matchAll(/-H ["']([^:]+): ([^"']+)["']/g), ([, name, value]) => [
    name,
    value.replace('$TOKEN', 'editor'),
  ]);
  const answer = await askServer(adminPort!, '/_changes', { method: 'POST', headers: Object.fromEntries(sent), body });
  expect([answer.status, answer.json()]).toEqual([200, { version: expect.stringMatching(/^\d+-1$/), sequence: 1 }]);
  expect((await askServer(port, '/api/categories/archive')).json().data.name).toBe('Archive');
  expect(existsSync(journal)).toBe(true);
});

function testThreads(): void {
  test('a thread that is replaced serves all changes, those of the journal too', async () => {
    const folder = newFolder();
    const before = await start(folder);
    await before.change('first');
    before.child.kill('SIGKILL');
    await before.exit;
    const server = await start(folder, ['--extend', moduleFile(ending)]);
    const asks = await connectionsByThread(server, 2);
    await server.change('second');
    await asks.get(2)!('/api/end');
    await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
    await server.change('third');
    const [one, two] = (await connectionsByThread(server, 2)).values();
    expect([await titleOf(one), await titleOf(two)]).toEqual(['third', 'third']);
    await server.change('fourth');
    expect([await titleOf(one), await titleOf(two)]).toEqual(['fourth', 'fourth']);
    expect(server.lines.filter(({ level }) => level >= 50)).toHaveLength(1);
  });
}

if (canShareMemory) describe('two threads', testThreads);
