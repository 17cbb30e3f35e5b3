import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gazetteExport, gazetteOptions } from '../conformance/gazette.ts';
import { databaseOf, unpackProject } from '../load/project/recorded-projects.ts';
import { StrapiDatabase } from '../source/project/strapi-database.ts';
import { sha256 } from '../support/guide.ts';
import { closeServers } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServers } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import { CommandLine } from './command-line.ts';

/** `lectern types`, for every kind of source. */

const lectern = new CommandLine();
const head = '// Written by `lectern types`: changes are lost when it is written again.\n';
const outOf = (name: string) => join(lectern.folder, name);
const read = (path: string) => readFileSync(path, 'utf8');

afterAll(async () => {
  closeServers();
  await stopServers();
});

describe('prints the types of', () => {
  test('a snapshot, and of what a role may read', async () => {
    const folder = lectern.writeSnapshot('notes', 'ada');
    const all = await lectern.run(['types', folder]);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(/author: lectern\.One<Writers, 'count'>;[\s\S]*notes: Notes;[\s\S]*writers: Writers;/);
    const open = await lectern.run(['types', folder, '--role', 'public']);
    expect(open.stdout).toContain('notes: Notes;');
    expect(open.stdout).not.toMatch(/[Ww]riters/);
  });

  test('an export, an image of it, and the address of a Strapi', async () => {
    const tokens = [{ name: 'all', type: 'full-access' as const, sha256: sha256('all') }];
    const { port } = await start({}, await openShared(gazetteExport, { ...gazetteOptions, tokens }));
    const ofExport = await lectern.run(['types', gazetteExport]);
    expect(ofExport.stdout.startsWith(head)).toBe(true);
    const image = outOf('gazette.lectern');
    await lectern.run(['build', gazetteExport, '--out', image]);
    expect((await lectern.run(['types', image])).stdout).toBe(ofExport.stdout);
    const ofAddress = await lectern.run(['types', `http://127.0.0.1:${port}`, '--token', 'all']);
    expect(ofAddress).toMatchObject({ code: 0 });
    expect(ofAddress.stdout).toBe(ofExport.stdout);
  });

  test('the folder of a project', async () => {
    const { code, stdout } = await lectern.run(['types', unpackProject('museum')]);
    expect([code, stdout.startsWith(head)]).toEqual([0, true]);
    expect(stdout).toMatch(/export interface Schema \{\n(?: {2}\S+: \w+;\n)+\}/);
  });
});

describe('--out', () => {
  let folder: string;
  beforeAll(() => {
    folder = lectern.writeSnapshot('written', 'ada');
  });

  test('writes a file, and writes it again', async () => {
    const out = outOf('content.d.ts');
    expect(await lectern.run(['types', folder, '--out', out])).toMatchObject({ code: 0, stdout: `Wrote ${out}\n` });
    const first = read(out);
    expect(first.startsWith(head)).toBe(true);
    await lectern.run(['types', folder, '--out', out]);
    expect(read(out)).toBe(first);
  });

  test('does not overwrite code', async () => {
    const out = outOf('mine.ts');
    writeFileSync(out, 'export const mine = 1;\n');
    const { code, stderr } = await lectern.run(['types', folder, '--out', out]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('mine.ts exists, and "lectern types" did not write it'),
    ]);
    expect(read(out)).toBe('export const mine = 1;\n');
  });
});

describe('--watch', () => {
  /** Starts the command and returns the file that it has written, with what it prints. */
  async function watch(source: string, name: string) {
    const out = outOf(name);
    const { exit, child, printed } = lectern.spawn(['types', source, '--out', out, '--watch']);
    await waitFor(() => expect(printed.stdout).toBe(`Wrote ${out}\n`));
    const stop = async () => {
      child.kill('SIGTERM');
      await exit;
    };
    return { out, printed, stop };
  }

  test('writes the types of a snapshot again when the schema changes', async () => {
    const source = lectern.writeSnapshot('watched', 'ada');
    const { out, printed, stop } = await watch(source, 'watched.d.ts');
    const path = join(source, 'content-types/note.json');
    const before = read(path);
    const definition = JSON.parse(before);
    const attributes = { ...definition.attributes, stars: { type: 'integer' } };
    writeFileSync(path, JSON.stringify({ ...definition, attributes }));
    await waitFor(() => expect(read(out)).toContain('stars: lectern.Numeric;'));
    writeFileSync(path, '{');
    await waitFor(() => expect(printed.stderr).toContain('content-types/note.json'));
    writeFileSync(path, before);
    await waitFor(() => expect(read(out)).not.toContain('stars'));
    await stop();
  });

  test('writes the types of a project again when Strapi has changed its schema', async () => {
    const source = unpackProject('museum');
    const { out, stop } = await watch(source, 'museum.d.ts');
    expect(read(out)).toContain('/** tag (');
    const database = new StrapiDatabase(databaseOf(source));
    database.run(
      `UPDATE strapi_core_store_settings SET value = replace(value, '"displayName":"tag"', '"displayName":"Label"') WHERE key = 'strapi_content_types_schema'`,
    );
    database.close();
    await waitFor(() => expect(read(out)).toContain('/** Label ('));
    await stop();
  });
});

test('what is missing or wrong is an error', async () => {
  expect(await lectern.run(['types'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('missing required argument'),
  });
  expect(await lectern.run(['types', 'x', '--watch'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--out'),
  });
  expect(await lectern.run(['types', '--database'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--types'),
  });
  expect((await lectern.run(['types', outOf('nothing')])).stderr).toContain('nothing: cannot be read');
  const { stderr } = await lectern.run(['types', lectern.writeSnapshot('roles', 'ada'), '--role', 'nobody']);
  expect(stderr).toContain('There is no role "nobody"');
});
