import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openContentJournal } from '../../src/content/live/content-journal.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { writeJournal } from '../support/journaled.ts';
import { loadShared } from '../support/open-shared.ts';
import { until } from '../support/server.ts';
import { CommandLine } from './command-line.ts';

const lectern = new CommandLine();
const snapshot = lectern.writeSnapshot('good', 'ada');
const dangling = lectern.writeSnapshot('dangling', 'nobody');

// commands that end by themselves run concurrently
describe.concurrent('lectern', () => {
  test('prints its version and its commands', async () => {
    const [version, help, empty] = await Promise.all([
      lectern.run(['--version']),
      lectern.run(['--help']),
      lectern.run([]),
    ]);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/serve[\s\S]*check/);
    expect(empty.code).toBe(2);
  });

  test('ends quietly if nobody reads what it prints', async () => {
    const child = spawn(process.execPath, [cli, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let complaints = '';
    child.stderr.on('data', (text) => (complaints += text));
    const [code] = await once(child, 'close');
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  });

  test('writes an OpenAPI document, as a caller sees it', async () => {
    const out = join(lectern.folder, 'openapi.json');
    const [printed, written, unknown] = await Promise.all([
      lectern.run(['openapi', snapshot]),
      lectern.run(['openapi', snapshot, '--role', 'public', '--out', out]),
      lectern.run(['openapi', snapshot, '--role', 'nobody']),
    ]);
    expect(printed.code).toBe(0);
    expect(Object.keys(JSON.parse(printed.stdout).paths)).toContain('/users/me');
    expect(written).toMatchObject({ code: 0, stdout: `Wrote ${out}\n` });
    expect(JSON.parse(readFileSync(out, 'utf8')).paths).not.toHaveProperty('/users/me');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no role "nobody"') });
  });

  const badConfig = lectern.write('bad.json', { maxLimits: 5 });
  const wrongRole = [{ role: 'nobody', value: 'private' }];
  const roleConfig = lectern.write('role.json', { cacheControl: wrongRole });
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['a port that is no number', ['serve', snapshot, '--port', 'abc'], {}, /'--port <number>'.*'abc'/],
    ['a port that is too large', ['serve', snapshot, '--port', '65536'], {}, /'--port <number>'.*'65536'/],
    ['a port in the environment', ['serve', snapshot], { PORT: '-1' }, /PORT: port: must be at least 0, is -1/],
    ['an admin port', ['serve', snapshot, '--admin-port', 'x'], {}, /'--admin-port <number>'.*'x'/],
    ['a level of the log', ['serve', snapshot], { LOG_LEVEL: 'loud' }, /LOG_LEVEL: log.level: must be .*loud/],
    [
      'a variable',
      ['check', snapshot],
      { LECTERN_CACHE_BYTE: '1' },
      /LECTERN_CACHE_BYTE: no such setting.*LECTERN_CACHE_BYTES/,
    ],
    ['an empty host', ['serve', snapshot, '--host', ''], {}, /'--host <address>'/],
    ['a dialect', ['serve', snapshot, '--dialect', 'koa'], {}, /'--dialect <name>'.*'koa'.*document, strapi/],
    ['a dialect to check', ['check', snapshot, '--dialect', 'koa'], {}, /'--dialect <name>'.*'koa'/],
    ['a flag', ['serve', snapshot, '--prot', '1'], {}, /--prot/],
    ['a missing snapshot', ['serve'], {}, /snapshot/],
    ['one argument too many', ['check', snapshot, 'more'], {}, /too many arguments/],
    ['a missing config', ['serve', snapshot, '--config', 'none.json'], {}, /none\.json: cannot be read/],
    ['a config', ['check', snapshot, '--config', badConfig], {}, /bad\.json: maxLimits: unknown key/],
    [
      'a config that contradicts the snapshot',
      ['check', snapshot, '--config', roleConfig],
      {},
      /role\.json: cacheControl\[0\]\.role: no such role, is "nobody"/,
    ],
    [
      'a variable that contradicts the snapshot',
      ['explain', snapshot, '/api/notes'],
      { LECTERN_CACHE_CONTROL: JSON.stringify(wrongRole) },
      /LECTERN_CACHE_CONTROL: cacheControl\[0\]\.role: no such role, is "nobody"/,
    ],
    [
      'a route in a config that is no route of the snapshot',
      ['check', snapshot, '--config', lectern.write('routes.json', { routes: { 'api::nota.nota': { find: {} } } })],
      {},
      /routes\.json: routes\["api::nota\.nota"\]: no content type .*did you mean "api::note\.note"/,
    ],
  ])('rejects %s with exit code 2', async (_, args, added, message) => {
    const { code, stdout, stderr } = await lectern.run(args, added);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe.concurrent('lectern check', () => {
  test('an image with a mediaUrl is checked and explained with the flag of its build', async () => {
    const image = join(lectern.folder, 'media.lectern');
    const flag = ['--media-url', 'https://files.example.org'];
    expect(await lectern.run(['build', snapshot, '--out', image, ...flag])).toMatchObject({ code: 0, stderr: '' });
    const [without, checked, explained] = await Promise.all([
      lectern.run(['check', image]),
      lectern.run(['check', image, ...flag]),
      lectern.run(['explain', image, '/api/notes', ...flag]),
    ]);
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('is opened without it') });
    expect([checked.code, explained.code]).toEqual([0, 0]);
  });

  test('prints the types and entries of a snapshot', async () => {
    const { code, stdout, stderr } = await lectern.run(['check', snapshot]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^content type +route +kind +entries$/m);
    expect(stdout).toMatch(/^api::note\.note +notes +collection +2$/m);
    expect(stdout).toMatch(/^api::writer\.writer +writers +collection +1$/m);
    expect(stdout).toMatch(/^4 entries, \d+ content types, 0 components \(document dialect\)$/m);
    expect(stdout).toMatch(/loaded in [\d.]+ s; [\d.]+ MiB resident/);
  });

  test('lists problems and exits with 1, and drops dangling relations with --lenient', async () => {
    const refused = await lectern.run(['check', dangling]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/1 problem[\s\S]*note[\s\S]*author[\s\S]*nobody/);
    const lenient = await lectern.run(['check', dangling, '--lenient']);
    expect(lenient.code).toBe(0);
    expect(lenient.stdout).toMatch(/^1 warning$/m);
    expect(lenient.stderr).toMatch(/^warning: /);
  });

  test('prints JSON with --json, also for a rejected snapshot', async () => {
    const checked = await lectern.run(['check', snapshot, '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ loads: true, dialect: 'document', warnings: [] });
    const refused = await lectern.run(['check', dangling, '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ loads: false, problemCount: 1, problems: [expect.any(String)] });
  });

  test('reports a missing snapshot in one line', async () => {
    const { code, stderr } = await lectern.run(['check', join(lectern.folder, 'nowhere')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/nowhere/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe.concurrent('the first run', () => {
  test('init writes a snapshot that loads without warnings, and only into an empty folder', async () => {
    const target = join(lectern.folder, 'started', 'here');
    const { code, stdout } = await lectern.run(['init', target]);
    expect(code).toBe(0);
    expect(stdout).toContain(`lectern serve ${target} --watch `);
    const checked = JSON.parse((await lectern.run(['check', target, '--json'])).stdout);
    expect(checked).toMatchObject({ loads: true, warnings: [] });
    const again = await lectern.run(['init', target]);
    expect(again.code).toBe(1);
    expect(again.stderr).toBe(`lectern: ${target} is not empty. Name a new folder: lectern init FOLDER\n`);
  });

  test('warns if nobody may read the content, and opens it with --public', async () => {
    const closed = lectern.writeSnapshot('closed', 'ada');
    lectern.write('closed/roles.json', [
      { type: 'public', permissions: [] },
      { type: 'authenticated', permissions: [] },
    ]);
    const shut = await lectern.serve(closed, ['--port', '0']);
    expect((await fetch(`${shut.url}api/notes`)).status).toBe(403);
    // the pipes of a process are read in any order
    await until(() => shut.printed.stderr.includes('Nobody may read this content'));
    const open = await lectern.serve(closed, ['--port', '0', '--public']);
    expect((await fetch(`${open.url}api/notes`)).status).toBe(200);
    expect((await fetch(`${open.url}api/users`)).status).toBe(403);
    await until(() => open.printed.stderr.includes('Use this for development only'));
  });
});

describe.concurrent('lectern explain', () => {
  const url = '/api/notes?filters[title][$startsWith]=F';

  test('prints operators as queries write them, and accepts a whole URL', async () => {
    const { code, stdout } = await lectern.run(['explain', snapshot, `http://127.0.0.1:1337${url}#top`]);
    expect(code).toBe(0);
    expect(stdout).toContain('api::note.note: title $startsWith "F"');
  });

  test('explains as a role, and lists the roles if it does not exist', async () => {
    const writers = ['explain', snapshot, '/api/writers', '--role'];
    expect((await lectern.run([...writers, 'authenticated'])).code).toBe(0);
    expect((await lectern.run([...writers, 'public'])).stderr).toContain('is answered with 403');
    const unknown = await lectern.run([...writers, 'editor']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toBe('lectern: There is no role "editor". The roles are public, authenticated.\n');
  });

  test('prints JSON with --json, also for a rejected query', async () => {
    const explained = await lectern.run(['explain', snapshot, url, '--json', '--role', 'public']);
    expect(JSON.parse(explained.stdout)).toMatchObject({ url, role: 'public', status: 200, bytes: expect.any(Number) });
    const refused = await lectern.run(['explain', snapshot, '/api/notes?filters[nope]=1', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ role: null, status: 400, plan: null, error: { status: 400 } });
  });
});

describe.concurrent('lectern compact', () => {
  const thing = (title: string) => ({
    entities: [{ type: 'api::writer.writer', id: 1, data: { documentId: 'ada', name: title } }],
    links: [],
  });
  const newJournal = async () => {
    const journal = join(temporaryFolder(), 'journal');
    await writeJournal(journal, snapshot, [thing('Ada L.'), thing('Ada Lovelace')]);
    return journal;
  };
  const compact = (journal: string, source = snapshot) => lectern.run(['compact', source, '--journal', journal]);

  test('replaces the changes of a journal by an image, and says what it did', async () => {
    const journal = await newJournal();
    const { code, stdout, stderr } = await compact(journal);
    expect([code, stderr]).toEqual([0, '']);
    const [, image, version] = /^Wrote (\S+) in .*MiB, the content of version (\S+)\n/.exec(stdout)!;
    expect(image).toBe(`${journal}.${version}.image`);
    expect(stdout).toMatch(/\nRemoved 2 batches of changes from \S+, which has [\d,]+ bytes in place of [\d,]+\n$/);
    expect(await compact(journal)).toMatchObject({
      code: 0,
      stdout: `${journal} holds no changes since version ${version}: there is nothing to compact\n`,
    });
    const [checked, compared] = await Promise.all([
      lectern.run(['check', image]),
      lectern.run(['diff', snapshot, image]),
    ]);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(compared.stdout).toContain('Lovelace');
  });

  test('cuts off what was not written to its end', async () => {
    const journal = await newJournal();
    truncateSync(journal, statSync(journal).size - 3);
    const { stdout } = await compact(journal);
    expect(stdout).toMatch(/^\S+: cut \d+ bytes off the end of the journal .* kept beside it in \S+\.cut-\S+\nWrote /);
    expect(stdout).toContain('Removed 1 batch of changes');
  });

  test('refuses what is no journal of the snapshot', async () => {
    const journal = await newJournal();
    const damaged = await newJournal();
    const bytes = readFileSync(damaged);
    bytes[bytes.indexOf('Ada L.')] ^= 1;
    writeFileSync(damaged, bytes);
    const outcomes = await Promise.all([
      lectern.run(['compact', snapshot]),
      compact(join(journal, '../none')),
      compact(lectern.write('no-journal', [])),
      compact(damaged),
      compact(journal, lectern.writeSnapshot('other-notes', 'nobody')),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 1, 1, 1, 1]);
    const messages = [
      /^lectern: Name the journal: lectern compact SNAPSHOT --journal FILE\n$/,
      /^lectern: There is no journal \S+none\n$/,
      /^lectern: \S+no-journal is not a journal\n$/,
      /^lectern: the journal \S+ is damaged at byte \d+: the record there is invalid, and a valid one follows at byte/,
      /nobody/,
    ];
    for (const [i, message] of messages.entries()) expect(outcomes[i].stderr).toMatch(message);
    const other = lectern.write('one.json', { posts: [{ id: 1, title: 'One' }] });
    expect((await compact(journal, other)).stderr).toMatch(/^lectern: the journal \S+ belongs to version/);
  });

  test('refuses a journal that a process has, and an image of the journal as its snapshot', async () => {
    const journal = await newJournal();
    const opened = await openContentJournal(journal, await loadShared(snapshot));
    expect(await compact(journal)).toMatchObject({ code: 1, stderr: expect.stringContaining('is locked by process') });
    await opened.journal.close();
    const { stdout } = await compact(journal);
    const [image] = /\S+\.image/.exec(stdout)!;
    expect(await compact(journal, image)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is an image of the journal'),
    });
  });
});
