// A preview is applied and rebased in a process with one thread, and with two where Node can share memory.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { type Ask, connectionsByThread, endProcessesAfterEach, startProcess } from '../support/threads.ts';

endProcessesAfterEach();

const thing = 'api::thing.thing';
const upsert = (documentId: string, title: string) => ({ upsert: thing, entry: { documentId, title } });

/** Starts a process whose content has a journal. */
async function start(folder: string, threads: number) {
  const args = ['--threads', `${threads}`, '--admin-port', '0', '--journal', join(folder, 'journal')];
  const server = await startProcess(`main=${join(folder, 'main.json')}`, args, {
    log: { format: 'json', requests: true },
    public: true,
    admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'changes'] }] },
    contents: { folder: join(folder, 'contents') },
  });
  const admin = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  const send = async (method: string, path: string, body: object) => {
    const answer = await askServer(server.adminPort!, path, { method, headers: admin, body: JSON.stringify(body) });
    return { status: answer.status, body: answer.json() };
  };
  const asks = [...(await connectionsByThread(server, threads)).values()];
  return { ...server, send, asks };
}

async function titles(ask: Ask, path: string): Promise<string[] | number> {
  const answer = await ask(`${path}/api/things?sort=title`);
  return answer.status === 200 ? answer.json().data.map(({ title }: { title: string }) => title) : answer.status;
}

test.each(canShareMemory ? [1, 2] : [1])(
  '%i threads follow, and a killed process keeps what was applied',
  async (threads) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'contents'));
    const entries = ['one', 'two', 'three'].map((name) => ({ documentId: name, title: name }));
    writeFileSync(join(folder, 'main.json'), JSON.stringify(thingSnapshot({ title: { type: 'string' } }, entries)));
    const before = await start(folder, threads);
    const { send, asks } = before;
    await send('PUT', '/_contents/pr', { base: 'main', changes: [{ delete: thing, documentId: 'one' }] });
    await send('POST', '/_changes?content=pr', { changes: [upsert('four', 'four'), upsert('two', 'second')] });
    const expected = ['four', 'second', 'three'];
    // readers of the preview see the same, wherever its changes are
    let isApplying = true;
    const seen = asks.map(async (ask) => {
      const found = new Set<string>();
      while (isApplying) found.add(JSON.stringify(await titles(ask, '/pr')));
      return [...found];
    });
    const documents = [
      { type: thing, documentId: 'one' },
      { type: thing, documentId: 'four' },
    ];
    expect((await send('POST', '/_contents/pr/apply', { documents })).body).toMatchObject({ applied: 2, left: 1 });
    const shown = (path: string) => Promise.all(asks.map((ask) => titles(ask, path)));
    expect(await shown('')).toEqual(asks.map(() => ['four', 'three', 'two']));
    expect(await shown('/pr')).toEqual(asks.map(() => expected));
    isApplying = false;
    expect(await Promise.all(seen)).toEqual(asks.map(() => [JSON.stringify(expected)]));
    await send('POST', '/_changes', { changes: [upsert('two', 'meanwhile')] });
    expect((await send('POST', '/_contents/pr/rebase', {})).status).toBe(409);
    expect((await send('POST', '/_contents/pr/rebase', { resolve: 'base' })).body).toMatchObject({ changes: 1 });
    expect(await shown('/pr')).toEqual(asks.map(() => ['four', 'meanwhile', 'three']));

    before.child.kill('SIGKILL');
    await before.exit;
    const after = await start(folder, threads);
    expect(await titles(after.asks[0], '')).toEqual(['four', 'meanwhile', 'three']);
    expect(await titles(after.asks[0], '/pr')).toEqual(['four', 'meanwhile', 'three']);
    expect((await after.send('POST', '/_contents/pr/apply', {})).body).toMatchObject({ applied: 1, left: 0 });
  },
);
