import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gazetteExport, gazetteOptions } from '../conformance/gazette.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServers } from '../support/server.ts';
import { CommandLine } from './command-line.ts';

const lectern = new CommandLine();
let port: number;
let url: string;
beforeAll(async () => {
  const tokens = [
    { name: 'all', type: 'full-access' as const, sha256: sha256('all') },
    { name: 'reader', type: 'read-only' as const, sha256: sha256('reader') },
  ];
  ({ port } = await start({}, await openShared(gazetteExport, { ...gazetteOptions, tokens })));
  url = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  closeServers();
  await stopServers();
});

const outOf = (name: string) => join(lectern.folder, name);

describe('lectern pull', () => {
  test('writes a folder that other commands take, and replaces it', async () => {
    const out = outOf('content');
    const pulled = await lectern.run(['pull', url, '--token', 'all', '--out', out]);
    expect(pulled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Wrote .*content: [\d,]+ entries and [\d,]+ links of 12 types, in .* requests\n$/),
      stderr: expect.stringMatching(/^warning: The permissions of roles cannot be read .*\n$/),
    });
    const again = await lectern.run(['pull', url, '--out', out], { LECTERN_SOURCE_TOKEN: 'all' });
    expect(again.code).toBe(0);
    const check = await lectern.run(['check', out]);
    expect(check).toMatchObject({ code: 0, stdout: expect.stringMatching(/articles/) });
    expect([`${out}.new`, `${out}.new.pull`, `${out}.old`].filter(existsSync)).toEqual([]);
  });

  test('takes a folder with a slash at its end', async () => {
    const out = outOf('slash');
    for (const _ of ['written', 'replaced']) {
      expect(await lectern.run(['pull', url, '--token', 'all', '--out', `${out}/`])).toMatchObject({ code: 0 });
    }
    expect(readdirSync(out).sort()).toEqual(['configuration', 'entities', 'links', 'metadata.json', 'schemas']);
    expect([`${out}.new`, `${out}.old`].filter(existsSync)).toEqual([]);
  });

  test('writes an archive with the same content', async () => {
    const [folder, archive] = [outOf('same'), outOf('same.tar.gz')];
    await lectern.run(['pull', url, '--token', 'all', '--out', folder]);
    await lectern.run(['pull', url, '--token', 'all', '--out', archive]);
    expect(await lectern.run(['diff', folder, archive])).toMatchObject({ code: 0 });
  });

  test('does not overwrite what is no export', async () => {
    const file = lectern.write('notes/todo.json', {});
    const { code, stderr } = await lectern.run(['pull', url, '--token', 'all', '--out', outOf('notes')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^lectern: .*notes exists and is not an unpacked export\. Remove it or choose another --out\n$/,
    );
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('tells a rejected token, and does not print it', async () => {
    const { code, stderr } = await lectern.run(['pull', url, '--token', 'wrong-token', '--out', outOf('wrong')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^lectern: .*rejects the token \(401: .*\)\. It may be mistyped, expired or deleted\.\n$/);
    expect(stderr).not.toContain('wrong-token');
  });

  test('names the option for a token that may not read the content types', async () => {
    const { code, stderr } = await lectern.run(['pull', url, '--token', 'reader', '--out', outOf('reader')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/lacks the permission plugin::content-type-builder\..* --types names an export/);
    const out = outOf('typed');
    const typed = await lectern.run(['pull', url, '--token', 'reader', '--out', out, '--types', gazetteExport]);
    expect(typed.code).toBe(0);
    expect(typed.stderr).toMatch(/^warning: The locales cannot be listed/);
  });

  test('goes on after an interruption', async () => {
    let count = 0;
    let isHeld = true;
    let interrupt = () => {};
    const proxy = await listen(async (request, response) => {
      // the request is never answered, so that the pull is at work when the signal comes
      if (isHeld && ++count > 60) return interrupt();
      const headers = { authorization: request.headers.authorization! };
      const reply = await askServer(port, request.url!, { headers });
      response.writeHead(reply.status, reply.headers).end(reply.body);
    });
    const out = outOf('interrupted');
    const args = ['pull', `http://127.0.0.1:${proxy}`, '--token', 'all', '--out', out];
    const { child, exit, printed } = lectern.spawn(args);
    // a second signal ends the process at once
    interrupt = () => {
      interrupt = () => {};
      child.kill('SIGINT');
    };
    expect(await exit).toEqual([1, null]);
    expect(printed.stderr).toMatch(
      /The pull was stopped\.\nWhat was read is in .*interrupted\.new\.pull\. The same command goes on/,
    );
    isHeld = false;
    expect(await lectern.run(args)).toMatchObject({ code: 0 });
    expect(existsSync(out)).toBe(true);
    expect(existsSync(`${out}.new.pull`)).toBe(false);
  });

  test.each([
    ['a missing target', [], /--out/],
    ['no requests', ['--out', 'x', '--requests', '0'], /'--requests <number>'.*It must be at least 1/],
  ])('refuses %s', async (_, more, message) => {
    expect(await lectern.run(['pull', url, ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
  });
});
