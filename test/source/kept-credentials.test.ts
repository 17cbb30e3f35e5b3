/** What is kept of a project signs its callers in while the project's database is away. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { SourceCache } from '../../src/follow/source-cache.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readProjectSecrets } from '../../src/load/project/project-settings.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';
import { waitFor } from '../support/wait.ts';

const log = pino({ level: 'silent' });

/** Keeps a content with the token `all` in a folder, and returns the folder. */
async function keep(): Promise<string> {
  const cacheDir = temporaryFolder();
  const write = async (path: string, ...[loaded]: [Parameters<typeof imageContentOf>[0], ...unknown[]]) =>
    (await writeImage(path, imageContentOf(loaded))).bytes;
  const cache = new SourceCache({ cacheDir, key: 'project', log, write });
  const loaded = { ...(await loadSnapshot(thingSnapshot({}, []))), apiTokens: [apiToken('all')], secrets };
  cache.changed(() => ({ loaded, version: '1', readAt: 1 }));
  await waitFor(() => expect(filesIn(cacheDir).some((name) => name.endsWith('.json'))).toBe(true));
  await cache.close();
  return cacheDir;
}

const filesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' });

async function openKept(cacheDir: string, project: string): Promise<Content> {
  const options = { cacheDir, key: 'project', log };
  const cache = new SourceCache({ ...options, secrets: () => readProjectSecrets(project) });
  const { loaded } = (await cache.load({}))!;
  return new Content(loaded, readOptions(), 0);
}

const statusOf = async (content: Content) =>
  (await content.answer('/api/things', { authorization: 'Bearer all' })).status;

test('with the secrets that the project has now', async () => {
  const cacheDir = await keep();
  const project = temporaryFolder();
  writeFileSync(join(project, '.env'), `API_TOKEN_SALT="${secrets.apiTokenSalt}"`);
  expect(await statusOf(await openKept(cacheDir, project))).toBe(200);
  writeFileSync(join(project, '.env'), 'API_TOKEN_SALT=another');
  expect(await statusOf(await openKept(cacheDir, project))).toBe(401);
  const kept = filesIn(cacheDir).filter((name) => /\.(lectern|json)$/.test(name));
  expect(kept).toHaveLength(2);
  for (const name of kept) expect(readFileSync(join(cacheDir, name)).includes(secrets.apiTokenSalt!)).toBe(false);
});

test('unless the project cannot be read', async () => {
  const cacheDir = await keep();
  const project = temporaryFolder();
  mkdirSync(join(project, '.env'));
  expect(await statusOf(await openKept(cacheDir, project))).toBe(401);
});
