import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open, SnapshotError } from '../../src/index.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { ReplyHeaders } from '../../src/query/reply/reply.ts';
import { authorization, gazetteExport, gazetteOptions, openGazette, readRecordings } from '../conformance/gazette.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { caseCount } from '../support/cases.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { guideFolder, thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, newPath, writeBytes, writeImageOf } from '../support/images.ts';
import { loadShared, openShared } from '../support/open-shared.ts';

makeImageFolder();

const dialects = ['document', 'strapi'] as const;

describe.each(dialects)('opened in the dialect %s', (opened) => {
  const options = { dialect: opened, public: true };
  let urls: string[];
  let expected: string[];
  beforeAll(async () => {
    urls = everyUrl((await loadShared(guideFolder)).store);
    expected = await answersOf(await openShared(guideFolder, options), urls);
  });

  test.each(dialects)('an image of the dialect %s answers as the snapshot does', async (built) => {
    const { path } = await writeImageOf(guideFolder, { dialect: built });
    const image = await open(path, options);
    expect(await answersOf(image, urls)).toEqual(expected);
    const warned = image.summary.warnings.map(({ kind }) => kind);
    expect(warned.includes('other-dialect')).toBe(built !== opened);
  });
});

test('an image of an export answers the recorded requests as the export does', async () => {
  const { path } = await writeImageOf(gazetteExport);
  const [expected, image] = await Promise.all([openGazette(), open(path, gazetteOptions)]);
  // every sixth unless all cases run
  const recordings = readRecordings().filter((_, i) => i % caseCount(1, 6) === 0);
  for (const { path: url, auth } of recordings) {
    const options = { authorization: authorization(auth) };
    const [one, other] = await Promise.all([expected.answer(url, options), image.answer(url, options)]);
    expect(`${other.status} ${other.body}`, url).toBe(`${one.status} ${one.body}`);
    expect(withoutVersion(other.headers), url).toEqual(withoutVersion(one.headers));
  }
});

/** The epoch of a version is the time of loading. */
function withoutVersion({ 'X-Lectern-Version': _, ...headers }: ReplyHeaders): ReplyHeaders {
  return headers;
}

test('an image holds the access keys of API tokens, and no secret', async () => {
  const apiTokens = [apiToken('all', { expires: 1 }), apiToken('some', { type: 'custom', permissions: ['a'] })];
  const loaded = { ...(await loadShared(guideFolder)), apiTokens, secrets };
  const path = newPath();
  await writeImage(path, imageContentOf(loaded));
  const file = readFileSync(path);
  expect([secrets.apiTokenSalt!, secrets.jwtSecret!].filter((secret) => file.includes(secret))).toEqual([]);
  const image = await loadSnapshot(path);
  expect([image.apiTokens, image.secrets]).toEqual([apiTokens, undefined]);
});

test('the summary of an image is that of its snapshot', async () => {
  const { path } = await writeImageOf(gazetteExport);
  const { loadMilliseconds, loadedAt, ...expected } = (await openShared(gazetteExport)).summary;
  expect((await open(path)).summary).toMatchObject(expected);
});

test('an image is opened in the dialect that it was built for', async () => {
  const { path } = await writeImageOf(guideFolder, { dialect: 'strapi' });
  expect((await open(path)).summary.dialect).toBe('strapi');
});

test('equal content gives equal bytes', async () => {
  const [one, other] = await Promise.all([writeImageOf(guideFolder), writeImageOf(guideFolder)]);
  expect(readFileSync(one.path).equals(readFileSync(other.path))).toBe(true);
});

test('an image built from an image of the other dialect equals one built from the snapshot', async () => {
  const { path } = await writeImageOf(guideFolder, { dialect: 'document' });
  const [rebuilt, built] = [
    await writeImageOf(path, { dialect: 'strapi' }),
    await writeImageOf(guideFolder, { dialect: 'strapi' }),
  ];
  expect(readFileSync(rebuilt.path).equals(readFileSync(built.path))).toBe(true);
});

test('the order in which entries are loaded does not change the image', async () => {
  const entries = Array.from({ length: 40 }, (_, i) => ({ id: i + 1, documentId: `d${i}`, name: `name ${i % 7}` }));
  const snapshot = (order: typeof entries) => thingSnapshot({ name: { type: 'string' } }, order);
  const [one, other] = await Promise.all([
    writeImageOf(snapshot(entries)),
    writeImageOf(snapshot(entries.toReversed())),
  ]);
  expect(readFileSync(one.path).equals(readFileSync(other.path))).toBe(true);
});

test.each([1, 2])('an image of format %i is opened', async (format) => {
  const path = writeBytes(gunzipSync(readFileSync(new URL(`format-${format}.lectern.gz`, import.meta.url))));
  const content = await open(path, { public: true });
  const { body } = await content.answer(
    '/api/things?fields=name&populate[others][fields]=name&populate[users][fields]=name',
  );
  const names = (list: { name: string }[]) => list.map(({ name }) => name).join('');
  const things = JSON.parse(String(body)).data as Record<'others' | 'users', { name: string }[]>[];
  expect(things.map(({ others, users }) => [names(others), names(users)])).toEqual([
    ['CB', ''],
    ['C', 'A'],
    ['', 'AB'],
  ]);
});

test('an image of empty content opens', async () => {
  const { path } = await writeImageOf(thingSnapshot({ name: { type: 'string' } }, []));
  const content = await open(path);
  expect(JSON.parse(String((await content.answer('/api/things')).body)).data).toEqual([]);
});

describe('the tolerance of an image', () => {
  const lenientImage = () => {
    const entries = [{ documentId: 'a', name: 'x', extra: 1 }];
    return writeImageOf(thingSnapshot({ name: { type: 'string' } }, entries), { tolerance: 'tolerant' });
  };
  const kindsOf = ({ summary }: Content) => summary.warnings.map(({ kind }) => kind);

  test('mistakes that its build tolerated are errors only in a strict load', async () => {
    const { path } = await lenientImage();
    expect(kindsOf(await open(path))).toEqual(['unknown-key']);
    await expect(open(path, { tolerance: 'strict' })).rejects.toThrow('Keys that are not attributes are ignored');
  });

  test('settings are checked as for a snapshot of the same kind', async () => {
    const { path } = await lenientImage();
    const routes = { 'api::thing.thing': { find: { default: 'sort=nope' } } };
    await expect(open(path, { routes })).rejects.toThrow('options: routes["api::thing.thing"].find.default.sort');
    const content = await open(path, { routes, tolerance: 'tolerant' });
    expect(kindsOf(content)).toEqual(['unknown-key', 'wrong-setting']);
  });
});

describe('settings that decide the bytes of a store', () => {
  const mediaUrl = 'https://cdn.example.com';

  test('an image is opened with the mediaUrl that it was built with', async () => {
    const { path } = await writeImageOf(gazetteExport, { mediaUrl });
    const [expected, image] = await Promise.all([openShared(gazetteExport, { mediaUrl }), open(path, { mediaUrl })]);
    expect(await answersOf(image, ['/api/upload/files'])).toEqual(await answersOf(expected, ['/api/upload/files']));
    await expect(open(path)).rejects.toThrow(
      `${path}: the image was built with the mediaUrl ${mediaUrl} and is opened without it`,
    );
    await expect(open(path, { mediaUrl: 'https://b.example.com' })).rejects.toThrow(
      'opened with https://b.example.com',
    );
  });

  test('an image with rewritten addresses is not opened in a dialect that compares the stored ones', async () => {
    const { path } = await writeImageOf(gazetteExport, { mediaUrl, dialect: 'document' });
    await expect(open(path, { mediaUrl, dialect: 'strapi' })).rejects.toThrow('Build it again with --dialect strapi');
  });

  test('a strict start refuses an image of content with tolerated mistakes', async () => {
    const snapshot = thingSnapshot({ name: { type: 'string' } }, [{ documentId: 'a', name: 'x', unknown: 1 }]);
    const { path } = await writeImageOf(snapshot, { tolerance: 'tolerant' });
    expect((await open(path)).summary.warnings).toHaveLength(1);
    await expect(open(path, { tolerance: 'strict' })).rejects.toThrow(SnapshotError);
  });
});
