/** The program of docs/live-content.md that follows the events of a server renews its copy. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadSnapshot } from '../../src/load/load.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { blocksOf, pageAt, project } from './pages.ts';

stopServersAfterEach();

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Copy {
  id: string;
  replies: Record<string, { version: string; body: { data: { documentId: string; name: string }[] } }>;
}

test('docs/live-content.md has a program that renews a copy, and goes on where it ended', async () => {
  const demo = join(project, 'data/demo');
  const admin = { tokens: [{ name: 'copy', sha256: sha256('admin'), rights: ['events', 'changes'] }] };
  const content = await openShared(demo, { cacheTags: true });
  const { port, adminPort } = await start({ adminPort: 0, cacheTags: true, admin }, content);
  const folder = temporaryFolder();
  const { text } = blocksOf(pageAt('docs/live-content.md')).find((block) => block.text.startsWith('// follow.mjs'))!;
  writeFileSync(join(folder, 'follow.mjs'), text);

  const run = () => {
    const urls = { CONTENT_URL: `http://127.0.0.1:${port}`, ADMIN_URL: `http://127.0.0.1:${adminPort}` };
    const child = spawn(process.execPath, ['follow.mjs'], {
      cwd: folder,
      env: { ...process.env, ...urls, TOKEN: 'admin' },
    });
    child.stderr.on('data', (data) => process.stderr.write(data));
    children.push(child);
    return child;
  };
  const end = async (child: ChildProcess) => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const copy = (): Copy => JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8'));
  const [articles, categories] = ['/api/articles?populate=author', '/api/categories'];
  const versions = () => [articles, categories].map((url) => copy().replies[url].version);
  const renames = async (name: string) => {
    const changes = [{ patch: 'api::category.category', documentId: 'music', set: { name } }];
    const body = JSON.stringify({ changes });
    const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
    expect((await askServer(adminPort, '/_changes', { method: 'POST', headers, body })).status).toBe(200);
    return content.version;
  };
  const isCurrent = async () => {
    for (const url of [articles, categories]) {
      expect(copy().replies[url].body).toEqual((await askServer(port, url)).json());
    }
  };

  const first = content.version;
  const program = run();
  await waitFor(() => expect(copy().id).toBe(first));
  expect(versions()).toEqual([first, first]);

  // no article depends on the category
  const second = await renames('Second');
  await waitFor(() => expect(copy().id).toBe(second));
  expect(versions()).toEqual([first, second]);
  await isCurrent();

  await end(program);
  await renames('Third');
  const fourth = await renames('Fourth');
  await isCurrent().then(
    () => expect.unreachable('the copy is old'),
    () => {},
  );
  const again = run();
  await waitFor(() => expect(copy().id).toBe(fourth));
  expect(versions()[0]).toBe(first);
  await isCurrent();

  await end(again);
  content.history.replace(await loadSnapshot(join(project, 'data/demo'), {}));
  run();
  await waitFor(() => expect(copy().id).toBe(content.version));
  expect(versions()).toEqual([content.version, content.version]);
  await isCurrent();
});
