import { describe, expect, test } from 'vitest';
import { ConfigError, type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { idsOf, openGuide } from '../support/guide.ts';

/** The setting `mediaUrl` rewrites file addresses in replies. Filters use the original values. */

const mediaUrl = 'https://images.example.org/site/';
const shown = 'https://images.example.org/site/uploads/cover_1.jpg';
const thumbnail = 'https://images.example.org/site/uploads/thumbnail_cover_1.jpg';

const permissions = [
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findOne',
  'api::restaurant.restaurant.find',
  'api::restaurant.restaurant.findOne',
];
const roles = [{ type: 'public', permissions }];

async function read(content: Content, url: string, responseFormat?: string) {
  const { status, body } = await content.answer(url, { responseFormat });
  const value = JSON.parse(body.toString());
  expect([url, status]).toEqual([url, 200]);
  return value;
}

describe('file addresses are rewritten', () => {
  test('in a populated file', async () => {
    const content = await openGuide({ mediaUrl, roles });
    const { data } = await read(content, '/api/restaurants?populate=cover&sort=id');
    const covers = data.map((entry: { cover: object | null }) => entry.cover).filter(Boolean);
    expect(covers[0]).toMatchObject({ url: shown, formats: { thumbnail: { url: thumbnail, width: 156 } } });
    expect(covers[0].previewUrl).toBeNull();
  });

  test('in the reply format of version 4', async () => {
    const content = await openGuide({ mediaUrl, roles });
    const { data } = await read(content, '/api/restaurants?populate=cover&sort=id', 'v4');
    expect(data[0].attributes.cover.data.attributes.url).toBe(shown);
  });

  test('in the file routes, also with fields', async () => {
    const content = await openGuide({ mediaUrl, roles, dialect: 'strapi' });
    expect((await read(content, '/api/upload/files?sort=id'))[0]).toMatchObject({
      url: shown,
      formats: { thumbnail: { url: thumbnail } },
    });
    expect(await read(content, '/api/upload/files/1')).toMatchObject({ url: shown });
    expect((await read(content, '/api/upload/files?fields=url&sort=id'))[0]).toMatchObject({ url: shown });
  });

  test('in the library', async () => {
    const content = await openGuide({ mediaUrl });
    expect(content.find('upload/files', { sort: 'id' }).data[0].url).toBe(shown);
  });
});

describe('filters use the original address', () => {
  test.each(['strapi', 'document'] as const)('in the dialect %s', async (dialect) => {
    const content = await openGuide({ mediaUrl, roles, dialect });
    expect(await filesWhere(content, 'filters[url]=/uploads/cover_1.jpg')).toEqual([1]);
    expect(await filesWhere(content, 'filters[url][$contains]=images.example')).toEqual([]);
  });

  test('within JSON', async () => {
    const content = await openGuide({ mediaUrl, roles, dialect: 'strapi' });
    const isFormat = (url: string) => `filters[formats][$eq]=${JSON.stringify({ thumbnail: { url, width: 156 } })}`;
    expect(await filesWhere(content, isFormat('/uploads/thumbnail_cover_1.jpg'))).toEqual([1]);
    expect(await filesWhere(content, isFormat(thumbnail))).toEqual([]);
  });

  async function filesWhere(content: Content, query: string): Promise<number[]> {
    const files = await read(content, `/api/upload/files?${query}`);
    return (files.data ?? files).map(({ id }: { id: number }) => id);
  }
});

test('absolute addresses, other types and unusual formats stay unchanged', async () => {
  const files = [
    { documentId: 'a', url: 'https://bucket.example.net/a.png', previewUrl: '/uploads/a.gif', formats: ['/uploads/x'] },
    { documentId: 'b', url: '//cdn.example.net/b.png', formats: { small: '/uploads/s.png', large: { url: null } } },
    { documentId: 'c', url: 'data:image/png;base64,AA==', formats: { small: { url: 'https://x.example/s.png' } } },
  ];
  const snapshot: JsonSnapshot = {
    contentTypes: [{ info: { singularName: 'link', pluralName: 'links' }, attributes: { url: { type: 'string' } } }],
    entries: { file: files, link: [{ documentId: 'l', url: '/uploads/a.png' }] },
  };
  const content = await open(snapshot, { mediaUrl: 'http://media.test' });
  const found = content.find('upload/files', { sort: 'id', fields: ['url', 'previewUrl', 'formats'] }).data;
  const rest = (id: number, documentId: string) => ({ id, documentId, isUrlSigned: false });
  expect(found).toEqual([
    { ...rest(1, 'a'), url: files[0].url, previewUrl: 'http://media.test/uploads/a.gif', formats: files[0].formats },
    { ...rest(2, 'b'), url: files[1].url, previewUrl: null, formats: files[1].formats },
    { ...rest(3, 'c'), url: files[2].url, previewUrl: null, formats: files[2].formats },
  ]);
  expect(content.find('links').data[0].url).toBe('/uploads/a.png');
});

test('filters through relations use the original address', async () => {
  const content = await openGuide({ mediaUrl, roles, dialect: 'strapi' });
  expect(await idsOf(content, '/api/restaurants', 'filters[cover][url][$endsWith]=.jpg&sort=id')).toEqual(
    await idsOf(
      await openGuide({ roles, dialect: 'strapi' }),
      '/api/restaurants',
      'filters[cover][url][$endsWith]=.jpg&sort=id',
    ),
  );
});

test.each([
  'images',
  'ftp://x.example',
  'https://',
  'https://a.example/?x=1',
  'https://u:p@a.example',
  '//a.example',
  'https:a',
])('%s is rejected as an address', async (value) => {
  await expect(openGuide({ mediaUrl: value })).rejects.toThrow(ConfigError);
  await expect(openGuide({ mediaUrl: value })).rejects.toThrow(/mediaUrl: must be an http or https URL/);
});
