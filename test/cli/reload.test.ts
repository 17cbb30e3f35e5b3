import { once } from 'node:events';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { gazetteExport } from '../conformance/gazette.ts';
import { sha256 } from '../support/guide.ts';
import { CommandLine } from './command-line.ts';

const lectern = new CommandLine();
afterEach(() => lectern.killAll());

/** Starts a server whose admin port takes the token `deploy`. */
async function serveWithAdmin(snapshot: string, flags: string[] = [], settings: object = {}) {
  const tokens = [{ name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] }];
  const config = lectern.write('admin.json', { port: 0, adminPort: 0, admin: { tokens }, ...settings });
  const running = await lectern.serve(snapshot, ['--config', config, ...flags]);
  const { printed, url, child } = running;
  while (!printed.stdout.includes('admin port')) await once(child.stdout, 'data');
  const admin = /admin port is (\S+)\n/.exec(printed.stdout)![1];
  const reload = async () => {
    const headers = { Authorization: 'Bearer deploy' };
    const reply = await fetch(`${admin}_reload`, { method: 'POST', headers });
    return { status: reply.status, body: (await reply.json()) as Record<string, any> };
  };
  const versionOf = async (path: string) => (await fetch(url + path)).headers.get('x-lectern-snapshot')!;
  const logged = async (text: string) => {
    while (!printed.stderr.includes(text)) await once(child.stderr, 'data');
  };
  const ready = async () => (await fetch(`${admin}_ready`)).json();
  return { ...running, reload, versionOf, logged, ready };
}

const notesOf = (...titles: string[]) => titles.map((title, i) => ({ documentId: `n${i}`, title }));

describe('a server', () => {
  test('serves new content after SIGHUP and POST /_reload, and old content while the new does not load', async () => {
    const snapshot = lectern.writeSnapshot('reloaded', 'ada');
    const { child, url, reload, logged, ready } = await serveWithAdmin(snapshot);
    const titles = async () => {
      const { data } = (await (await fetch(`${url}api/notes?sort=title`)).json()) as { data: { title: string }[] };
      return data.map(({ title }) => title);
    };
    expect(await titles()).toEqual(['First', 'Second']);
    lectern.write('reloaded/entries/note.json', notesOf('Third'));
    child.kill('SIGHUP');
    await logged('new content is served');
    expect(await titles()).toEqual(['Third']);

    writeFileSync(join(snapshot, 'entries/note.json'), '[{');
    const refused = await reload();
    expect(refused).toMatchObject({ status: 422, body: { error: { name: 'SnapshotError' } } });
    expect(refused.body.error.details.problems[0]).toContain('note.json');
    expect(await titles()).toEqual(['Third']);
    expect(await ready()).toMatchObject({ ready: true, reload: { error: expect.stringContaining('note.json') } });

    lectern.write('reloaded/entries/note.json', notesOf('Fourth', 'Fifth'));
    expect(await reload()).toMatchObject({ status: 200, body: { isNew: true, entries: 4 } });
    expect(await titles()).toEqual(['Fifth', 'Fourth']);
    expect(await ready()).toEqual({ ready: true });
    expect(await reload()).toMatchObject({ status: 200, body: { isNew: false } });
  });

  test('refuses new content that contradicts its settings', async () => {
    const snapshot = lectern.writeSnapshot('contradicting', 'ada');
    const cacheControl = [{ type: 'api::writer.writer', role: 'public', value: 'public, max-age=60' }];
    const { reload, versionOf } = await serveWithAdmin(snapshot, [], { cacheControl });
    const version = await versionOf('api/notes');
    renameSync(join(snapshot, 'content-types/writer.json'), join(lectern.folder, 'writer.json'));
    renameSync(join(snapshot, 'entries/writer.json'), join(lectern.folder, 'writers.json'));
    const attributes = { title: { type: 'string' } };
    const info = { singularName: 'note', pluralName: 'notes' };
    lectern.write('contradicting/content-types/note.json', { info, attributes });
    lectern.write('contradicting/entries/note.json', notesOf('First'));
    lectern.write('contradicting/roles.json', [
      { type: 'public', permissions: ['api::note.note.find'] },
      { type: 'authenticated', permissions: [] },
    ]);
    const { status, body } = await reload();
    expect([status, body.error.message]).toEqual([
      422,
      expect.stringMatching(/admin\.json: cacheControl\[0\]\.type: no such content type, is "api::writer\.writer"/),
    ]);
    expect(await versionOf('api/notes')).toBe(version);
  });

  test('serves the target of a link that moves, and an archive when it is whole', async () => {
    const current = join(lectern.folder, 'current');
    const archive = join(lectern.folder, 'content.tar.gz');
    symlinkSync(lectern.writeSnapshot('first', 'ada'), current);
    const { versionOf, logged, printed, reload } = await serveWithAdmin(current, ['--watch']);
    const first = await versionOf('api/notes');

    const bytes = readFileSync(gazetteExport);
    writeFileSync(archive, bytes.subarray(0, bytes.length / 2));
    symlinkSync(archive, `${current}.new`);
    renameSync(`${current}.new`, current);
    await logged('is tried again');
    expect(await versionOf('api/notes')).toBe(first);
    writeFileSync(archive, bytes);
    await logged('new content is served');
    expect(printed.stderr).not.toContain('"level":50');
    const { body } = await reload();
    expect(body).toMatchObject({ isNew: false, entries: expect.any(Number) });
    expect(body.version).not.toBe(first);
  });

  test('serves new content of one snapshot while another cannot be read', async () => {
    const [broken, docs] = [lectern.writeSnapshot('broken', 'ada'), lectern.writeSnapshot('docs', 'ada')];
    const { child, versionOf, logged, printed } = await serveWithAdmin(`cms=${broken}`, [`docs=${docs}`, '--watch']);
    const first = await versionOf('../docs/api/notes');
    writeFileSync(join(broken, 'entries/note.json'), '[{');
    await logged('is tried again');
    lectern.write('docs/entries/note.json', notesOf('Third'));
    await logged('new content is served');
    expect(await versionOf('../docs/api/notes')).not.toBe(first);
    lectern.write('docs/entries/note.json', notesOf('Fourth'));
    const second = await versionOf('../docs/api/notes');
    child.kill('SIGHUP');
    await logged('the reload of cms failed');
    expect(await versionOf('../docs/api/notes')).not.toBe(second);
    expect(printed.stderr).not.toContain('reload of cms and docs');
  });
});
