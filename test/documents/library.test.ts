/** The programs of docs/library.md and docs/media.md run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { blocksOf, pageAt, project } from './pages.ts';

/** Runs a module in the project, where `lectern` is the project itself, and returns what it prints as JSON. */
async function run(text: string, env: NodeJS.ProcessEnv = process.env): Promise<unknown> {
  const args = ['--input-type=module', '--eval', text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
  return JSON.parse(stdout);
}

const programOf = (path: string) =>
  blocksOf(pageAt(path))
    .filter(({ language }) => language === 'js')
    .map(({ text }) => text)
    .join('\n');

test('docs/library.md', async () => {
  const requests = `
    const server = app.listen(0, async () => {
      const get = async (path) => (await (await fetch('http://127.0.0.1:' + server.address().port + path)).json()).data;
      const withAuthor = (await get('/api/articles')).find(({ author }) => author);
      const top = await get('/api/top');
      console.log(JSON.stringify([data.length, meta.pagination.page, top.length, Object.keys(withAuthor.author)]));
      process.exit();
    });`;
  expect(await run(programOf('docs/library.md') + requests)).toEqual([25, 1, 3, ['id', 'documentId', 'name']]);
});

test('docs/media.md', async () => {
  const TMPDIR = mkdtempSync(join(tmpdir(), 'lectern-media-'));
  const imports = `import express from 'express';\nimport { open } from 'lectern';\nconst app = express();\n`;
  const program = programOf('docs/media.md').replace(
    'content.tar.gz',
    join(project, 'test/conformance/gazette/export.tar.gz'),
  );
  const warnings = await run(`${imports}${program}\nconsole.log(JSON.stringify(warnings));`, {
    ...process.env,
    TMPDIR,
  });
  expect(warnings).toBeInstanceOf(Array);
  rmSync(TMPDIR, { recursive: true });
});
