/** The program of docs/http.md reads what it has written. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sha256 } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServersAfterEach } from '../support/server.ts';
import { blocksOf, pageAt, project } from './pages.ts';

stopServersAfterEach();

test('docs/http.md has a program that reads the version that it has made', async () => {
  const admin = { tokens: [{ name: 'editor', sha256: sha256('admin'), rights: ['changes'] }] };
  const content = await openShared(join(project, 'data/demo'), {});
  const { port, adminPort } = await start({ adminPort: 0, admin }, content);
  const { text } = blocksOf(pageAt('docs/http.md')).find((block) => block.text.startsWith('// rename.mjs'))!;
  const urls = { CONTENT_URL: `http://127.0.0.1:${port}`, ADMIN_URL: `http://127.0.0.1:${adminPort}` };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, ...urls, TOKEN: 'admin' },
  });
  expect(stdout).toBe('200 Sound\n');
  expect(content.version).toMatch(/-1$/);
});
