// An upsert takes entries as the API answers with them, and ignores what follows from other entries.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Content } from '../../src/content/content.ts';
import { type Change, type JsonSnapshot, open } from '../../src/index.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type Schema,
  targetsAdministrators,
} from '../../src/model/schema/schema.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { caseCount } from '../support/cases.ts';
import { guideFolder } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { article, author, definitions, entries } from './content.ts';
import { EntrySequences } from './random-entries.ts';

type Populate = Record<string, unknown>;

/** Returns a `populate` with every relation of a type, and with those of its components. */
function populateOf(schema: Schema, type: EntryType): Populate {
  const populate: Populate = {};
  for (const attribute of type.attributes.values()) {
    if (isScalar(attribute) || attribute.private || targetsAdministrators(attribute)) continue;
    if (!isPolymorphic(attribute) && attribute.unconnected) continue;
    if (attribute.kind === 'component') {
      populate[attribute.name] = { populate: populateOf(schema, schema.type(attribute.target)) };
    } else if (attribute.kind === 'dynamiczone') {
      const on = attribute.components!.map((uid) => [uid, { populate: populateOf(schema, schema.type(uid)) }]);
      populate[attribute.name] = { on: Object.fromEntries(on) };
    } else populate[attribute.name] = true;
  }
  return populate;
}

/** Returns an upsert for each entry that the API answers with, as it answers with it. */
function upsertsOf(content: Content, isShown: (type: EntryType) => boolean): Change[] {
  const { store } = content.history.loaded;
  return store.collections.flatMap(({ type }) => {
    if (!type.uid.startsWith('api::') || !isShown(type)) return [];
    const name = type.kind === 'singleType' ? type.singularName : type.pluralName;
    const locales = type.localized ? [...store.locales] : [undefined];
    const statuses = type.draftAndPublish ? ['published', 'draft'] : [undefined];
    return locales.flatMap((locale) =>
      statuses.flatMap((status) => {
        const page = type.kind === 'singleType' ? {} : { pagination: { pageSize: 100 } };
        const query = { populate: populateOf(store.schema, type), ...page, locale, status };
        const { data } = read(content, name, JSON.parse(JSON.stringify(query)));
        return [data ?? []].flat().map((entry) => ({ upsert: type.uid, entry: entry as Record<string, unknown> }));
      }),
    );
  });
}

function read(content: Content, name: string, query: object): { data: unknown } {
  try {
    return content.find(name, query);
  } catch (error) {
    // a single type without an entry of the locale or status
    if ((error as { status?: number }).status === 404) return { data: null };
    throw error;
  }
}

/** `isShown` returns whether replies show all links of a type. */
function expectUnchanged(content: Content, isShown: (type: EntryType) => boolean = () => true): void {
  const before = content.history.loaded.store.contentDigest;
  const changes = upsertsOf(content, isShown);
  expect(changes.length).toBeGreaterThan(2);
  expect(content.apply({ changes: JSON.parse(JSON.stringify(changes)) }).unlinked.count).toBe(0);
  expect(content.history.loaded.store.contentDigest).toBe(before);
}

describe('an entry that the API answers with, and that is sent back, changes nothing', () => {
  test('in generated content', async () => {
    const property = fc.asyncProperty(new EntrySequences(1), async ([generated]) => {
      expectUnchanged(await open({ ...definitions, entries: generated } as unknown as JsonSnapshot));
    });
    await fc.assert(property, { seed: 20261126, numRuns: caseCount(40, 10) });
  });

  test.each([
    ['the guide', guideFolder],
    ['an export', gazetteExport],
  ])('in %s', async (_, source) => {
    // of a type without drafts, a reply leaves out links to entries of which there are only drafts
    expectUnchanged(await openShared(source, { maxLimit: 100 }), ({ draftAndPublish }) => draftAndPublish);
  });
});

describe('an upsert', () => {
  const openContent = () => open({ ...definitions, entries } as unknown as JsonSnapshot);

  test('takes populated entries for their documentId, whatever else they hold', async () => {
    const content = await openContent();
    const cover = { id: 99, documentId: 'cover-1', url: 'https://elsewhere.example.org/x.png' };
    const entry = {
      documentId: 'new',
      author: { documentId: 'ben', name: 'Another' },
      related: [{ documentId: 'two' }],
      cover,
    };
    content.apply({ changes: [{ upsert: article, entry }] });
    expect(content.findOne('articles', 'new', { populate: '*' }).data).toMatchObject({
      author: { name: 'Ben' },
      related: [{ title: 'Two' }],
      cover: { url: '/uploads/cover_1.png' },
    });
  });

  const derived: [string, unknown, string][] = [
    ['an entry that does not refer to it', ['one', 'two'], 'It holds "two", which does not refer to this entry'],
    ['fewer entries than refer to it', [], 'It lacks "one", which refers to this entry'],
    ['something else', { count: 1 }, 'It holds {"count":1}, which does not refer to this entry'],
  ];
  test.each(derived)('that lists %s in an inverse relation is a mistake', async (_, articles, message) => {
    const content = await openContent();
    const changes = [{ upsert: author, entry: { documentId: 'ada', articles } }];
    expect(() => content.apply({ changes })).toThrow(
      'changes[0].entry: attribute "articles" is derived from its owning side: set "author" of api::article.article instead',
    );
    expect(() => content.apply({ changes })).toThrow(message);
  });

  const wrong: [string, object, string][] = [
    [
      'other localizations',
      { localizations: [{ locale: 'fr' }, { locale: 'de' }] },
      'It holds "de", in which the document has no other entry',
    ],
    ['the id of another entry', { id: 13 }, 'the entry has the id 10, not 13'],
    [
      'a component of another entry',
      { documentId: 'two', seo: { id: 5 } },
      'the component shared.seo with id 5 belongs to another entry',
    ],
    [
      'a component of another type',
      { seo: { __component: 'shared.card' } },
      '"__component" must be shared.seo, not "shared.card"',
    ],
    ['an unknown attribute', { titel: 'x' }, 'unknown attribute "titel" (did you mean "title"?)'],
    ['a populated entry without a documentId', { author: { id: 3 } }, 'expected a documentId, not {"id":3}'],
  ];
  test.each(wrong)('with %s is a mistake', async (_, entry, message) => {
    const content = await openContent();
    const before = content.history.loaded.store.contentDigest;
    const change = { upsert: article, entry: { documentId: 'one', publishedAt: '2026-01-01T00:00:00.000Z', ...entry } };
    expect(() => content.apply({ changes: [change] })).toThrow(message);
    expect(content.history.loaded.store.contentDigest).toBe(before);
  });

  test('with an unknown attribute is a mistake in content that tolerates mistakes, too', async () => {
    const content = await openShared(gazetteExport);
    const change = { upsert: 'plugin::users-permissions.user', entry: { documentId: 'new', nam: 'x' } };
    expect(() => content.apply({ changes: [change] })).toThrow('unknown attribute "nam"');
    const restaurant = { documentId: 'new', name: 'x', parts: [{ __component: 'block.unknown' }] };
    const zone = content.history.loaded.store.schema.types.get('api::restaurant.restaurant')!;
    const name = [...zone.attributes.values()].find(({ kind }) => kind === 'dynamiczone')?.name;
    expect(name).toBeDefined();
    const { parts, ...entry } = restaurant;
    expect(() => content.apply({ changes: [{ upsert: zone.uid, entry: { ...entry, [name!]: parts } }] })).toThrow(
      '"__component" must be one of',
    );
  });

  test('leads from an entry without locales or drafts to the entry of a locale or status that it names', async () => {
    const snapshot = {
      settings: { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'fr' }] },
      contentTypes: [
        {
          info: { singularName: 'page', pluralName: 'pages' },
          options: { draftAndPublish: true },
          pluginOptions: { i18n: { localized: true } },
          attributes: { title: { type: 'string' } },
        },
        {
          info: { singularName: 'menu', pluralName: 'menus' },
          attributes: { pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page' } },
        },
      ],
      entries: {
        page: ['en', 'fr'].flatMap((locale) =>
          ['draft', 'published'].map((status) => ({ documentId: 'p', locale, status, title: `${locale} ${status}` })),
        ),
        menu: [{ documentId: 'm' }],
      },
    };
    const content = await open(snapshot as unknown as JsonSnapshot);
    const targets = (pages: unknown[]) => {
      content.apply({ changes: [{ upsert: 'api::menu.menu', entry: { documentId: 'm', pages } }] });
      return (['published', 'draft'] as const).flatMap((status) => {
        const { data } = content.findOne('menus', 'm', { populate: 'pages', status });
        return (data as unknown as { pages: { title: string }[] }).pages.map(({ title }) => title);
      });
    };
    expect(targets(['p'])).toEqual(['en published', 'en draft']);
    expect(targets([{ documentId: 'p', locale: 'fr' }])).toEqual(['fr published', 'fr draft']);
    expect(targets([{ documentId: 'p', status: 'draft' }])).toEqual(['en draft']);
    expect(targets([{ documentId: 'p', locale: 'fr', status: 'published' }])).toEqual(['fr published']);
  });
});
