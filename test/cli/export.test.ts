import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { loadSnapshot } from '../../src/load/load.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { unpackProject } from '../load/project/recorded-projects.ts';
import { sha256 } from '../support/guide.ts';
import { filesIn } from '../support/written-snapshot.ts';
import { CommandLine } from './command-line.ts';

const lectern = new CommandLine();
afterEach(() => lectern.killAll());

/** Starts a server with a journal whose admin port takes the token `editor`. */
async function serveWithJournal(snapshot: string, journal: string) {
  const tokens = [{ name: 'editor', sha256: sha256('editor'), rights: ['changes', 'reload'] }];
  const config = lectern.write('admin.json', { port: 0, adminPort: 0, admin: { tokens } });
  const running = await lectern.serve(snapshot, ['--config', config, '--journal', journal]);
  const { printed, child, url } = running;
  while (!printed.stdout.includes('admin port')) await once(child.stdout, 'data');
  const admin = /admin port is (\S+)\n/.exec(printed.stdout)![1];
  const post = async (path: string, body?: object) => {
    const headers = { Authorization: 'Bearer editor', 'Content-Type': 'application/json' };
    const reply = await fetch(admin + path, { method: 'POST', headers, body: body && JSON.stringify(body) });
    return { status: reply.status, body: (await reply.json()) as Record<string, any> };
  };
  const version = async () => (await fetch(`${url}api/notes`)).headers.get('x-lectern-snapshot')!;
  const titles = async () => {
    const { data } = (await (await fetch(`${url}api/notes?sort=title`)).json()) as { data: { title: string }[] };
    return data.map(({ title }) => title);
  };
  return { ...running, post, version, titles };
}

const upsert = (documentId: string, title: string) => ({
  changes: [{ upsert: 'api::note.note', entry: { documentId, title } }],
});

describe('lectern export', () => {
  test('writes what a running server serves, with the changes of its journal', { timeout: 60_000 }, async () => {
    const snapshot = lectern.writeSnapshot('served', 'ada');
    mkdirSync(join(snapshot, 'uploads'));
    writeFileSync(join(snapshot, 'uploads/a.txt'), 'a file');
    const journal = join(lectern.folder, 'served.journal');
    const out = join(lectern.folder, 'exported');
    const { post, version } = await serveWithJournal(snapshot, journal);
    await post('_changes', upsert('three', 'Third'));
    await post('_changes', upsert('two', 'Changed'));
    const before = readFileSync(journal);
    const { code, stdout, stderr } = await lectern.run(['export', snapshot, '--journal', journal, '--out', out]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^Read 2 batches of changes from \S+, up to version \d+-2\nWrote \S+ in .*: 5 entries of 3 types, 1 uploaded file\n/,
    );
    expect(stdout).toContain('Not in it: the passwords of 1 user\n');
    expect(readFileSync(journal)).toEqual(before);
    const { store } = await loadSnapshot(out);
    expect(store.contentDigest).toBe(await version());
    expect(filesIn(out)['uploads/a.txt']).toBe('a file');
    expect(readdirSync(lectern.folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('writes the same of a journal before and after it is compacted, and of an image', {
    timeout: 60_000,
  }, async () => {
    const snapshot = lectern.writeSnapshot('compacted', 'ada');
    const journal = join(lectern.folder, 'compacted.journal');
    const { post, child, exit } = await serveWithJournal(snapshot, journal);
    await post('_changes', upsert('three', 'Third'));
    child.kill('SIGTERM');
    await exit;
    const [before, after, ofImage] = ['before', 'after', 'of-image'].map((name) =>
      join(lectern.folder, `compacted-${name}`),
    );
    const flags = ['--journal', journal, '--out'];
    expect(await lectern.run(['export', snapshot, ...flags, before])).toMatchObject({ code: 0 });
    expect(await lectern.run(['compact', snapshot, '--journal', journal])).toMatchObject({ code: 0 });
    const { code, stdout } = await lectern.run(['export', snapshot, ...flags, after]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Read 0 batches of changes from \S+, up to version \d+-1\n/),
    ]);
    expect(filesIn(after)).toEqual(filesIn(before));
    const image = join(lectern.folder, 'compacted.lectern');
    expect(await lectern.run(['build', before, '--out', image])).toMatchObject({ code: 0 });
    expect(await lectern.run(['export', image, '--out', ofImage])).toMatchObject({ code: 0 });
    expect(filesIn(ofImage)).toEqual(filesIn(before));
  });

  test('writes the content of a Strapi project, and names its API tokens', async () => {
    const project = unpackProject('magazine');
    const out = join(lectern.folder, 'magazine');
    const { code, stdout } = await lectern.run(['export', project, '--out', out]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Not in it: \d+ API tokens? of the Strapi/)]);
    const [expected, found] = [await loadSnapshot(project), await loadSnapshot(out)];
    expect(found.dialect).toBe(expected.dialect);
    expect([found.kind, found.roles]).toEqual([expected.kind, expected.roles]);
    expect(found.store.contentDigest).toBe(expected.store.contentDigest);
  });

  test('leaves out a record that is being written', async () => {
    const snapshot = lectern.writeSnapshot('torn', 'ada');
    const journal = join(lectern.folder, 'torn.journal');
    const { post, child, exit } = await serveWithJournal(snapshot, journal);
    await post('_changes', upsert('three', 'Third'));
    const whole = readFileSync(journal);
    await post('_changes', upsert('four', 'Fourth'));
    child.kill('SIGTERM');
    await exit;
    writeFileSync(journal, readFileSync(journal).subarray(0, whole.length + 30));
    const out = join(lectern.folder, 'torn-out');
    const { code, stdout, stderr } = await lectern.run(['export', snapshot, '--journal', journal, '--out', out]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Read 1 batch of changes')]);
    expect(stderr).toContain('ends with 30 bytes of a record that is not complete, or damaged');
    expect(filesIn(out)['entries/note.json']).toContain('Third');
    expect(filesIn(out)['entries/note.json']).not.toContain('Fourth');
  });

  test('writes an export of Strapi, which is then served in the same dialect', async () => {
    const out = join(lectern.folder, 'gazette');
    mkdirSync(out);
    const { code, stdout } = await lectern.run(['export', gazetteExport, '--out', out]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('the content of the source')]);
    const { dialect, store } = await loadSnapshot(out);
    expect([dialect.name, store.contentDigest]).toEqual([
      'strapi',
      (await loadSnapshot(gazetteExport)).store.contentDigest,
    ]);
  });

  test.each<[string, (snapshot: string) => string[], number, string]>([
    ['a folder with content', (snapshot) => [snapshot, '--out', snapshot], 1, 'is not empty'],
    ['an archive', (snapshot) => [snapshot, '--out', `${snapshot}-x.tar.gz`], 1, 'a JSON snapshot is a folder'],
    [
      'a journal that is not there',
      (snapshot) => [snapshot, '--out', `${snapshot}-x`, '--journal', 'none'],
      1,
      'There is no journal none',
    ],
    ['a snapshot that is not there', (snapshot) => [`${snapshot}-y`, '--out', `${snapshot}-x`], 1, 'no such file'],
    ['no source', (snapshot) => ['--out', `${snapshot}-x`], 2, "missing required argument 'source'"],
    ['no folder', (snapshot) => [snapshot], 2, "required option '--out <folder>'"],
  ])('refuses %s, and writes nothing', async (_, args, expected, message) => {
    const snapshot = lectern.writeSnapshot('wrong', 'ada');
    const before = filesIn(snapshot);
    const { code, stderr } = await lectern.run(['export', ...args(snapshot)]);
    expect(code).toBe(expected);
    expect(stderr).toContain(message);
    expect(existsSync(`${snapshot}-x`)).toBe(false);
    expect(filesIn(snapshot)).toEqual(before);
    expect(readdirSync(lectern.folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('refuses a journal of another snapshot', async () => {
    const snapshot = lectern.writeSnapshot('own', 'ada');
    const journal = join(lectern.folder, 'own.journal');
    const { child, exit } = await serveWithJournal(snapshot, journal);
    child.kill('SIGTERM');
    await exit;
    lectern.write('own/entries/writer.json', [{ documentId: 'ada', name: 'Ada Lovelace' }]);
    const out = join(lectern.folder, 'own-out');
    const { code, stderr } = await lectern.run(['export', snapshot, '--journal', journal, '--out', out]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('belongs to version')]);
    expect(existsSync(out)).toBe(false);
  });
});

test('a reload with another snapshot takes the changes of the journal over, and a start names the ways', {
  timeout: 60_000,
}, async () => {
  const snapshot = lectern.writeSnapshot('replayed', 'ada');
  const journal = join(lectern.folder, 'replayed.journal');
  const { post, titles, child, exit, printed } = await serveWithJournal(snapshot, journal);
  await post('_changes', upsert('three', 'Third'));
  const { version } = (
    await post('_changes', { changes: [{ patch: 'api::note.note', documentId: 'two', set: { title: 'Patched' } }] })
  ).body;
  lectern.write('replayed/entries/note.json', [{ documentId: 'one', title: 'New' }]);
  expect(await post('_reload')).toMatchObject({
    status: 422,
    body: { error: { name: 'ConfigError', message: expect.stringContaining('?changes=replay') } },
  });
  expect(await post('_reload?changes=merge')).toMatchObject({
    status: 400,
    body: { error: { message: 'query: changes must be discard or replay, is "merge"' } },
  });
  const { status, body } = await post('_reload?changes=replay');
  const file = `${journal}.left-${version}.ndjson`;
  expect([status, body]).toMatchObject([
    200,
    { isNew: true, replayed: { taken: 1, left: { count: 1, file, changes: [{ place: `${version}, changes[0]` }] } } },
  ]);
  expect(await titles()).toEqual(['New', 'Third']);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ patch: 'api::note.note', documentId: 'two' });
  expect(printed.stderr).toContain(file);
  child.kill('SIGTERM');
  await exit;

  const again = await serveWithJournal(snapshot, journal);
  expect(await again.titles()).toEqual(['New', 'Third']);
  again.child.kill('SIGTERM');
  await again.exit;

  lectern.write('replayed/entries/note.json', []);
  const { code, stderr } = await lectern.run(['serve', snapshot, '--port', '0', '--journal', journal]);
  expect(code).toBe(1);
  expect(stderr).toContain('POST /_reload?changes=replay');
  expect(stderr).toContain('lectern export');
});

test('a reload that is to replay changes is refused without a journal', async () => {
  const snapshot = lectern.writeSnapshot('plain', 'ada');
  const tokens = [{ name: 'editor', sha256: sha256('editor'), rights: ['reload'] }];
  const config = lectern.write('plain.json', { port: 0, adminPort: 0, admin: { tokens } });
  const { printed, child } = await lectern.serve(snapshot, ['--config', config]);
  while (!printed.stdout.includes('admin port')) await once(child.stdout, 'data');
  const admin = /admin port is (\S+)\n/.exec(printed.stdout)![1];
  const reply = await fetch(`${admin}_reload?changes=replay`, {
    method: 'POST',
    headers: { Authorization: 'Bearer editor' },
  });
  expect([reply.status, await reply.json()]).toMatchObject([
    409,
    { error: { message: expect.stringContaining('--journal FILE') } },
  ]);
});
