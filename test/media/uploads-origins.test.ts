import { describe, expect, test } from 'vitest';
import { ConfigError, type Content, type JsonSnapshot, type OpenOptions, open } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { textRewrite } from '../../src/store/writer/rows/media-urls.ts';
import { caseCount } from '../support/cases.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { ask, thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, writeImageOf } from '../support/images.ts';

/** The setting `uploadsOrigins` rewrites addresses of files in texts while content is loaded or changed. */

makeImageFolder();

const origin = 'http://localhost:1337';
const uploadsOrigins = [origin, 'https://cms.example.org'];
const mediaUrl = 'https://files.example.org/site/';

const blocks = (url: string) => [
  { type: 'paragraph', children: [{ type: 'link', url, children: [{ type: 'text', text: `see ${url}` }] }] },
  { type: 'image', image: { url, name: 'a', formats: { small: { url } } }, children: [{ type: 'text', text: '' }] },
];

/** An entry whose texts have the addresses of two files, with these texts in front of `/uploads/`. */
const entry = (first: string, second = first, id = 'one') => ({
  documentId: id,
  title: id,
  rich: `![a](${first}/uploads/a.png) and <img src="${second}/uploads/b/c.png">`,
  blocks: blocks(`${first}/uploads/a.png`),
  json: { list: [`${second}/uploads/a.png`, 1, null, true], deep: { url: `${first}/uploads/a.png` }, __proto: 'x' },
  parts: [{ body: `${first}/uploads/d.png` }],
});

const snapshotOf = (entries: object[]): JsonSnapshot => {
  const attributes = {
    title: { type: 'string' },
    text: { type: 'text' },
    rich: { type: 'richtext' },
    blocks: { type: 'blocks' },
    json: { type: 'json' },
    parts: { type: 'component', repeatable: true, component: 'page.part' },
  };
  const components = { 'page.part': { attributes: { body: { type: 'richtext' } } } };
  return thingSnapshot(attributes, entries, { components });
};

const digestOf = (content: Content) => content.history.loaded.store.contentDigest;
const digestOfEntries = async (entries: object[]) => digestOf(await open(snapshotOf(entries)));
const openEntries = (entries: object[], options: OpenOptions) => open(snapshotOf(entries), options);

describe('content with frozen addresses', () => {
  test('is the content that has addresses without an origin', async () => {
    const content = await openEntries([entry(...(uploadsOrigins as [string, string]))], { uploadsOrigins });
    expect(digestOf(content)).toBe(await digestOfEntries([entry('')]));
  });

  test('is the content that has addresses with mediaUrl', async () => {
    const content = await openEntries([entry(origin)], { uploadsOrigins, mediaUrl });
    expect(digestOf(content)).toBe(await digestOfEntries([entry('https://files.example.org/site')]));
  });

  test.each(['document', 'strapi'] as const)('answers and filters alike in the dialect %s', async (dialect) => {
    const options = { dialect, public: true };
    const content = await openEntries([entry(origin)], { ...options, uploadsOrigins });
    const expected = await openEntries([entry('')], options);
    const urls = everyUrl(expected.history.loaded.store).filter((_, i) => i % caseCount(1, 3) === 0);
    expect(await answersOf(content, urls)).toEqual(await answersOf(expected, urls));
    for (const [filter, count] of [
      ['filters[rich][$contains]=(/uploads/a.png', 1],
      [`filters[rich][$contains]=${origin}`, 0],
      ['filters[parts][body]=/uploads/d.png', 1],
    ] as const) {
      const { body } = await ask(content, '/api/things', filter);
      expect([filter, (body.data as unknown[]).length]).toEqual([filter, count]);
    }
  });

  test('keeps all other addresses and attributes', async () => {
    const kept = {
      ...entry('http://localhost:13371'),
      title: `${origin}/uploads/a.png`,
      text: `${origin}/uploads/a.png`,
      rich: [
        `${origin}/uploads`,
        `${origin}/uploadsx/a.png`,
        `${origin}/api/uploads/a.png`,
        'https://localhost:1337/uploads/a.png',
        'http://localhost/uploads/a.png',
        'https://cmsXexample.org/uploads/a.png',
        '/uploads/a.png',
      ].join(' '),
    };
    expect(digestOf(await openEntries([kept], { uploadsOrigins }))).toBe(await digestOfEntries([kept]));
  });

  test('does not read $ in mediaUrl as a group, and changes no object that it is given', async () => {
    const given = snapshotOf([entry(origin)]);
    const before = structuredClone(given);
    const content = await open(given, { uploadsOrigins, mediaUrl: 'https://a.example/$&"' });
    expect(digestOf(content)).toBe(await digestOfEntries([entry('https://a.example/$&"')]));
    expect(given).toEqual(before);
  });

  test('leaves JSON that is too deep to the check of its attribute', () => {
    let json: unknown = `${origin}/uploads/a.png`;
    for (let i = 0; i < 200_000; i++) json = [json];
    expect(textRewrite({ uploadsOrigins })!(json)).toBe(json);
  });
});

test('changes are rewritten as loaded content is', async () => {
  const content = await openEntries([entry('')], { uploadsOrigins });
  content.apply({
    changes: [
      { upsert: 'api::thing.thing', entry: entry(origin) },
      { upsert: 'api::thing.thing', entry: entry(origin, origin, 'two') },
    ],
  });
  expect(digestOf(content)).toBe(await digestOfEntries([entry(''), entry('', '', 'two')]));
});

describe('an image', () => {
  test('is opened with the origins that it was built with', async () => {
    const { path } = await writeImageOf(snapshotOf([entry(origin)]), { uploadsOrigins });
    const image = await open(path, { uploadsOrigins: uploadsOrigins.toReversed() });
    expect(digestOf(image)).toBe(await digestOfEntries([entry('')]));
    image.apply({ changes: [{ upsert: 'api::thing.thing', entry: entry(origin, origin, 'two') }] });
    expect(digestOf(image)).toBe(await digestOfEntries([entry(''), entry('', '', 'two')]));
    const built = `${path}: the image was built with the uploadsOrigins ${uploadsOrigins}`;
    await expect(open(path)).rejects.toThrow(`${built} and is opened without it. Give the same, or build it again`);
    await expect(open(path, { uploadsOrigins: [origin] })).rejects.toThrow(`${built} and is opened with ${origin}.`);
  });

  test('without origins is not opened with one', async () => {
    const { path } = await writeImageOf(snapshotOf([entry(origin)]));
    const message = `${path}: the image was built without uploadsOrigins and is opened with ${origin}. Give the same`;
    await expect(open(path, { uploadsOrigins: [origin] })).rejects.toThrow(message);
    expect(digestOf(await open(path, { uploadsOrigins: [] }))).toBe(await digestOfEntries([entry(origin)]));
  });
});

test.each(['localhost:1337', 'http://localhost:1337/', 'http://a/b', 'ftp://a', 'http://', 'http://a b', 'http://u@a'])(
  '%j is no origin',
  async (value) => {
    const opened = open(snapshotOf([]), { uploadsOrigins: [origin, value] });
    await expect(opened).rejects.toThrow(ConfigError);
    await expect(opened).rejects.toThrow(
      `uploadsOrigins[1]: must be an origin such as http://localhost:1337, without a path, is ${JSON.stringify(value)}`,
    );
  },
);

test('files themselves keep their addresses, which mediaUrl changes', async () => {
  const file = { documentId: 'f', name: 'a.png', url: '/uploads/a.png', formats: { small: { url: '/uploads/s.png' } } };
  const snapshot = { ...snapshotOf([]), entries: { thing: [], file: [file] } } as unknown as JsonSnapshot;
  const [plain, both] = await Promise.all([
    loadSnapshot(snapshot, { mediaUrl }),
    loadSnapshot(snapshot, { mediaUrl, uploadsOrigins }),
  ]);
  expect(both.store.contentDigest).toBe(plain.store.contentDigest);
});
