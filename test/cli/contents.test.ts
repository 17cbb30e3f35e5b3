import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/cli.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { until } from '../support/server.ts';
import { CommandLine } from './command-line.ts';

/** Several contents of `lectern serve`, with threads that load them. */

const lectern = new CommandLine();
const snapshot = lectern.writeSnapshot('good', 'ada');

afterEach(() => lectern.killAll());

const titles = async (port: number, path: string) => {
  const answer = await askServer(port, `${path}/api/notes?sort=title:desc&fields=title`);
  return answer.status === 200 ? answer.json().data.map((note: { title: string }) => note.title) : answer.status;
};

test('each content of the command line answers below its name', async () => {
  const { printed, port } = await lectern.serve(`main=${snapshot}`, [`pr-1=${snapshot}`, '--port', '0']);
  expect(await titles(port, '/pr-1')).toEqual(['Second', 'First']);
  expect(await titles(port, '')).toEqual(['Second', 'First']);
  expect(await titles(port, '/pr-2')).toBe(404);
  expect(printed.stdout).toContain(`at http://127.0.0.1:${port}/main/ - `);
});

test.each([
  [['a'], 'a: one of several snapshots needs a name, such as main=a'],
  [['Pr=x'], 'cannot name a content: a name has 1 to 63 characters'],
])('%j beside another content exits with 2', async (args, message) => {
  const { code, stderr } = await lectern.run(['serve', `main=${snapshot}`, ...args, '--port', '0']);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a content that does not load exits with 1', async () => {
  const { code, stderr } = await lectern.run(['serve', `main=${snapshot}`, 'pr-1=nothing', '--port', '0']);
  expect(code).toBe(1);
  expect(stderr).toContain('nothing: cannot be read');
});

test('a deleted content is not watched any more', async () => {
  const [main, deleted] = ['main', 'deleted'].map((name) => lectern.writeSnapshot(`watched/${name}`, 'ada'));
  const adminPort = await freePort();
  const admin = { tokens: [{ name: 'ci', sha256: sha256('ci'), rights: ['contents'] }] };
  const config = lectern.write('watched.json', { port: 0, adminPort, admin });
  const args = [`deleted=${deleted}`, '--watch', '--config', config];
  const { printed } = await lectern.serve(`main=${main}`, args);
  const headers = { Authorization: 'Bearer ci' };
  const { status } = await askServer(adminPort, '/_contents/deleted', { method: 'DELETE', headers });
  expect(status).toBe(204);
  rmSync(deleted, { recursive: true });
  await sleep(1000);
  rmSync(main, { recursive: true });
  await until(async () => printed.stderr.includes(`${main} is gone`));
  expect(printed.stderr).not.toContain(`${deleted} is gone`);
});

describe('contents that are put', () => {
  test('are loaded in a thread, served, reported if they do not load, and served after a restart', async () => {
    const folder = join(lectern.folder, 'contents');
    mkdirSync(folder);
    lectern.writeSnapshot('contents/by-path', 'ada');
    const image = join(lectern.folder, 'sent.lectern');
    expect((await lectern.run(['build', snapshot, '--out', image])).code).toBe(0);
    const adminPort = await freePort();
    const admin = { tokens: [{ name: 'ci', sha256: sha256('ci'), rights: ['contents'] }] };
    const config = lectern.write('contents.json', { port: 0, adminPort, admin, contents: { folder: 'contents' } });
    const put = (name: string, type: string, body: Buffer | string) =>
      askServer(adminPort, `/_contents/${name}`, {
        method: 'PUT',
        headers: { Authorization: 'Bearer ci', 'Content-Type': type },
        body,
      });

    const first = await lectern.serve(snapshot, ['--config', config]);
    const statuses = [
      await put('by-path', 'application/json', JSON.stringify({ snapshot: 'by-path' })),
      await put('sent', 'application/octet-stream', readFileSync(image)),
      await put('sent', 'application/octet-stream', readFileSync(image)),
      await put('sent', 'application/gzip', 'no archive'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 200, 422]);
    for (const path of ['', '/by-path', '/sent']) expect(await titles(first.port, path)).toEqual(['Second', 'First']);
    first.child.kill('SIGTERM');
    expect(await first.exit).toEqual([0, null]);

    const second = await lectern.serve(snapshot, ['--config', config]);
    for (const path of ['/by-path', '/sent']) expect(await titles(second.port, path)).toEqual(['Second', 'First']);
  });
});
