import { describe, expect, test } from 'vitest';
import { serveGazette } from './serve.ts';

/** Documents, single types and files, asked for by the official client, unchanged. */

const client = serveGazette();

describe('collection().findOne', () => {
  test('accepts fields', async () => {
    const found = await client()
      .collection('dishes')
      .findOne('d8l4bg4qtai2ruqtdu1my2ii', { fields: ['heat', 'name'] });
    expect(found).toEqual({
      data: { id: 65, documentId: 'd8l4bg4qtai2ruqtdu1my2ii', heat: null, name: 'Ember umber 64' },
      meta: {},
    });
  });

  test('accepts populate', async () => {
    const { data } = await client()
      .collection('articles')
      .findOne('yrc075my9hb4lox86v6h4h4p', {
        fields: ['title'],
        populate: { related: { fields: ['title'] }, seo: true, author: true, localizations: true },
      });
    expect(data).toEqual({
      id: 73,
      documentId: 'yrc075my9hb4lox86v6h4h4p',
      title: '_',
      related: [
        { id: 40, documentId: 'jpg47fmkxnu7irgai9axkjee', title: '日本語の店' },
        { id: 61, documentId: 'cr0lmkra9cxyw2vfmx43h5od', title: 'null' },
      ],
      seo: { id: 107, metaTitle: 'pine moss quay', metaDescription: null, noindex: true },
      author: null,
      localizations: [],
    });
  });

  test.each([
    [{}, 3, 'STRASSE'],
    [{ status: 'draft' as const }, 1, 'STRASSE'],
    [{ locale: 'de' }, 4, 'de STRASSE'],
    [{ locale: 'de', status: 'draft' as const }, 2, 'de STRASSE'],
  ])('accepts %o', async (asked, id, title) => {
    const documentId = 'drhv7gme7blnxs6znmpu0jes';
    const { data } = await client()
      .collection('articles')
      .findOne(documentId, { ...asked, fields: ['title'] });
    expect(data).toEqual({ id, documentId, title });
  });
});

describe('single().find', () => {
  const homepage = {
    id: 2,
    documentId: 'qem6jyt65x4pfpf61y6meiml',
    headline: 'en welcome',
    createdAt: '2026-11-20T14:47:24.308Z',
    updatedAt: '2026-11-20T14:47:24.308Z',
    publishedAt: '2026-11-20T14:47:24.333Z',
    locale: 'en',
  };

  test('returns the entry', async () => {
    expect(await client().single('homepage').find()).toEqual({ data: homepage, meta: {} });
  });

  test('accepts locale and status', async () => {
    expect((await client().single('homepage').find({ locale: 'fr' })).data).toEqual({
      ...homepage,
      id: 4,
      headline: 'fr welcome',
      createdAt: '2026-11-20T14:47:24.366Z',
      updatedAt: '2026-11-20T14:47:24.366Z',
      publishedAt: '2026-11-20T14:47:24.390Z',
      locale: 'fr',
    });
    expect((await client().single('homepage').find({ status: 'draft' })).data).toEqual({
      ...homepage,
      id: 1,
      publishedAt: null,
    });
  });

  test('accepts populate', async () => {
    const { data } = await client()
      .single('homepage')
      .find({
        fields: ['headline'],
        populate: { seo: { populate: ['social'] }, zones: { on: { 'block.cards': { populate: { articles: true } } } } },
      });
    expect(data.seo).toEqual({
      id: 120,
      metaTitle: 'en home',
      metaDescription: null,
      noindex: false,
      social: [
        { id: 204, network: 'bluesky', handle: '@kelp', weight: 8 },
        { id: 205, network: 'bluesky', handle: '@amber', weight: 7 },
      ],
    });
    expect(data.zones).toMatchObject([
      {
        id: 58,
        __component: 'block.cards',
        title: 'cards',
        articles: [{ title: 'under_score' }, { title: '日本語の店' }],
      },
    ]);
  });
});

describe('files', () => {
  test('finds files', async () => {
    const files = await client().files.find({
      filters: { mime: { $contains: 'png' }, name: { $contains: '1' } },
      sort: ['name:asc'],
    });
    expect(files.map(({ id, name }) => [id, name])).toEqual([
      [2, 'picture-1.jpg'],
      [12, 'picture-11.jpg'],
      [13, 'picture-12.jpg'],
      [14, 'picture-13.jpg'],
      [19, 'picture-18.jpg'],
      [20, 'picture-19.jpg'],
    ]);
  });

  test('finds one file', async () => {
    expect(await client().files.findOne(1)).toEqual({
      id: 1,
      documentId: 'ustk8a6z5i6388cthjssvb96',
      name: 'picture-0.jpg',
      alternativeText: 'zest',
      caption: null,
      focalPoint: null,
      width: 1400,
      height: 1100,
      formats: null,
      hash: 'picture_0_h',
      ext: '.jpg',
      mime: 'image/jpeg',
      size: 22.3,
      url: '/uploads/picture_0_h.jpg',
      previewUrl: null,
      provider: 'local',
      provider_metadata: null,
      createdAt: '2026-11-20T14:47:09.110Z',
      updatedAt: '2026-11-20T14:47:09.110Z',
      publishedAt: '2026-11-20T14:47:09.110Z',
      isUrlSigned: false,
    });
  });
});
