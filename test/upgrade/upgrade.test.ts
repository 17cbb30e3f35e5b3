import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../support/cli.ts';
import { type Answer, change, kinds, openFiles, repeatFirst, serving } from './files.ts';
import { settingNames, unpackMade, versions } from './made.ts';

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

test.concurrent.each(versions)('a journal of %s goes on', async (version) => {
  const { folder } = unpackMade(version);
  const args = kinds.journal!.open(folder);
  const more = { upsert: 'api::tag.tag', entry: { documentId: 'more', name: 'More' } };
  const before = await serving(cli, folder, args, async (server) => {
    expect(JSON.parse(await repeatFirst(server))).toMatchObject({ sequence: 1 });
    expect(JSON.parse(await change(server, [more]))).toMatchObject({ sequence: 5 });
    return server.ask('/api/tags');
  });
  const after = await serving(cli, folder, args, (server) => server.ask('/api/tags'));
  expect(after.json().data).toContainEqual(expect.objectContaining({ documentId: 'more', name: 'More' }));
  const kept = ['x-lectern-version', 'x-lectern-snapshot'];
  expect(kept.map((name) => after.headers[name])).toEqual(kept.map((name) => before.headers[name]));

  const out = join(folder, 'exported');
  execFileSync(process.execPath, [cli, 'export', ...args, '--out', out], { stdio: 'ignore' });
  expect(JSON.parse(readFileSync(join(out, 'entries/tag.json'), 'utf8'))).toEqual(
    expect.arrayContaining([expect.objectContaining({ documentId: 'more' })]),
  );
});

test.each(versions)('every setting of %s is still known', (version) => {
  const schema = readFileSync(new URL('../../data/schemas/config.schema.json', import.meta.url), 'utf8');
  expect(settingNames(JSON.parse(schema))).toEqual(expect.arrayContaining([...unpackMade(version).made.settings]));
});
