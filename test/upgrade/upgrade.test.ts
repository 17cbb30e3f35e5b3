import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../support/cli.ts';
import type { HttpAnswer } from '../support/http.ts';
import { type Answer, change, kinds, openFiles, repeatFirst, serving } from './files.ts';
import { readSettingNames, unpackMade, versions } from './made.ts';

const cases = versions.flatMap((version) => {
  const { folder, made } = unpackMade(version);
  return Object.entries(made.answers).map(([kind, answers]) => ({ version, kind, folder, answers }));
});

/** Until then, a digest of content depended on the order of its types, and a cache had no rules of a database. */
const isEarly = (version: string) => version < '2026-11-24';

function withoutSnapshot(answers: readonly Answer[]): readonly Answer[] {
  return answers.map(({ snapshot, ...answer }) => answer);
}

test.concurrent.each(cases)('the $kind of $version answers as recorded', async ({ version, kind, folder, answers }) => {
  const opened = openFiles(cli, kind, folder);
  if (isEarly(version) && kind === 'cache') return expect(opened).rejects.toThrow('nothing listens there');
  const comparable = isEarly(version) && kind !== 'image' ? withoutSnapshot : (all: readonly Answer[]) => all;
  expect(comparable(await opened)).toEqual(comparable(answers));
});

const journals = ['journal', 'compacted journal'].flatMap((kind) => versions.map((version) => ({ version, kind })));

test.concurrent.each(journals)('the $kind of $version goes on', async ({ version, kind }) => {
  const { folder } = unpackMade(version);
  const args = kinds[kind]!.open(folder);
  const more = { upsert: 'api::tag.tag', entry: { documentId: 'more', name: 'More' } };
  const before = await serving(cli, folder, args, async (server) => {
    expect(JSON.parse(await repeatFirst(server))).toMatchObject({ sequence: 1 });
    await change(server, [more]);
    return server.ask('/api/tags');
  });
  expect(before.json().data).toContainEqual(expect.objectContaining(more.entry));
  const seen = ({ headers, body }: HttpAnswer) => [
    headers['x-lectern-version'],
    headers['x-lectern-snapshot'],
    body.toString(),
  ];
  const restarted = await serving(cli, folder, args, (server) => server.ask('/api/tags'));
  expect(seen(restarted)).toEqual(seen(before));

  const run = (...command: string[]) => execFileSync(process.execPath, [cli, ...command], { stdio: 'pipe' });
  run('compact', ...args);
  const compacted = await serving(cli, folder, args, (server) => server.ask('/api/tags'));
  expect(seen(compacted)).toEqual(seen(before));

  const out = join(folder, 'exported');
  run('export', ...args, '--out', out);
  const tags = readFileSync(join(out, 'entries/tag.json'), 'utf8');
  expect(JSON.parse(tags)).toContainEqual(expect.objectContaining(more.entry));
});

test.each(versions)('every setting of %s is still known', (version) => {
  expect(readSettingNames()).toEqual(expect.arrayContaining([...unpackMade(version).made.settings]));
});
