// Content that is written as a JSON snapshot is loaded as the same content, whatever was changed before.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leftOut } from '../../src/changes/export/write-json-snapshot.ts';
import { Content } from '../../src/content/content.ts';
import { changeLoadedByJsonInSteps, changeLoadedInSteps } from '../../src/content/versions/change-loaded.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../src/load/loaded.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { entity, filesOf, folderOf, link, uidOf } from '../exports/exports.ts';
import { kinds } from '../live/kinds.ts';
import { completeSnapshot, modelOf } from '../live/model-of-snapshot.ts';
import { randomFrom } from '../live/random-from.ts';
import { writeExport } from '../live/write-export.ts';
import { cases } from '../property/arbitraries.ts';
import { caseCount } from '../support/cases.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder } from '../support/guide.ts';
import { filesIn, writtenTo } from '../support/written-snapshot.ts';
import { article, author, definitions, entries, load } from './content.ts';

const settings = readOptions({ public: true });

function contentOf(loaded: LoadedSnapshot): Content {
  return new Content(loaded, settings, 0, {});
}

/** What decides replies besides the store. */
function accessOf({ kind, dialect, strapiVersion, roles, emailConfirmation, blockedUsers, inferred }: LoadedSnapshot) {
  const named = roles.map(({ type, name = type, permissions }) => ({ type, name, permissions }));
  return {
    kind,
    dialect,
    strapiVersion,
    roles: named,
    emailConfirmation,
    blockedUsers: [...blockedUsers].sort(),
    inferred,
  };
}

/**
 * Writes content, loads it again and compares both, with up to about `urlCount` URLs, of all types. Returns the folder and
 * the loaded content.
 */
async function expectSame(loaded: LoadedSnapshot, options: LoadOptions = {}, urlCount = Number.POSITIVE_INFINITY) {
  const folder = await writtenTo(loaded);
  const again = await loadSnapshot(folder, options);
  expect(again.store.contentDigest).toBe(loaded.store.contentDigest);
  expect(accessOf(again)).toEqual(accessOf(loaded));
  expect(filesIn(await writtenTo(again))).toEqual(filesIn(folder));
  const [before, after] = [contentOf(loaded), contentOf(again)];
  const all = everyUrl(loaded.store);
  const step = Math.ceil(all.length / urlCount) || 1;
  const urls = all.filter((_, i) => i % step === 0);
  const [expected, found] = [await answersOf(before, urls), await answersOf(after, urls)];
  for (const [i, url] of urls.entries()) expect(found[i], url).toBe(expected[i]);
  return { folder, again };
}

describe('a written snapshot is loaded as the same content', () => {
  const rules = { database: 'mysql', mysql: { collation: 'utf8mb4_general_ci', hasJson: false } } as const;
  test.each<[string, string, LoadOptions]>([
    ['the demo', 'data/demo', {}],
    ['the guide', guideFolder, {}],
    ['the gazette', gazetteExport, {}],
    ['the gazette with addresses of files', gazetteExport, { mediaUrl: 'https://cdn.example.org/' }],
    ['the gazette in the dialect document', gazetteExport, { dialect: 'document' }],
    ['an export with forms', 'test/conformance/forms/export.tar.gz', {}],
    ['an export of Strapi 4', 'test/conformance/almanac/export.tar.gz', {}],
    ['the museum', 'test/conformance/museum/export.tar.gz', {}],
    ['the magazine', 'test/load/project/magazine/export.tar.gz', {}],
    ['the archive', 'test/database/postgres/recorded/archive/export.tar.gz', {}],
    ['the museum on MySQL', 'test/database/mysql/recorded/museum-mysql/export.tar.gz', rules],
  ])('%s', { timeout: 60_000 }, async (_, path, options) => {
    await expectSame(await loadSnapshot(path, options), options, caseCount(400, 100));
  });

  test('data with inferred types', async () => {
    const path = join(temporaryFolder(), 'db.json');
    const data = {
      posts: [{ id: 4, title: 'Hello', status: 'new', authorId: 'ada' }],
      authors: [{ id: 'ada', name: 'Ada' }],
      users: [{ id: 1, name: 'Not a built-in user' }],
      site: { name: 'My site' },
    };
    writeFileSync(path, JSON.stringify(data));
    await expectSame(await loadSnapshot(path));
  });

  test('types in another order than that of their names', async () => {
    const contentTypes = [...definitions.contentTypes].reverse();
    await expectSame(await loadSnapshot({ ...definitions, contentTypes, entries } as unknown as JsonSnapshot));
  });

  test('roles with gaps between their ids', async () => {
    const before = await load();
    const role = 'plugin::users-permissions.role';
    const changes = [
      { upsert: role, entry: { type: 'late', permissions: [] } },
      { delete: role, documentId: 'editor' },
    ];
    const { loaded } = runAtOnce(changeLoadedByJsonInSteps(before, changes, settings));
    const { folder } = await expectSame(loaded);
    expect(Object.keys(filesIn(folder))).toContain('entries/role.json');
  });

  test('users who must confirm their e-mail address', async () => {
    const snapshot = { ...definitions, settings: { ...definitions.settings, emailConfirmation: true } };
    const { again } = await expectSame(await loadSnapshot(snapshot as unknown as JsonSnapshot));
    expect(again.emailConfirmation).toBe(true);
  });

  test('what only a database holds', async () => {
    const many = { type: 'relation', relation: 'manyToMany' };
    const files = filesOf({
      types: [
        {
          name: 'note',
          draftAndPublish: true,
          attributes: {
            title: { type: 'string' },
            writers: { ...many, target: uidOf('writer'), inversedBy: 'notes' },
            first: { type: 'relation', relation: 'manyToOne', target: uidOf('writer') },
          },
        },
        {
          name: 'writer',
          attributes: {
            name: { type: 'string' },
            notes: { ...many, target: uidOf('note'), mappedBy: 'writers' },
            unread: { type: 'relation', relation: 'oneToMany', target: uidOf('note'), mappedBy: 'first' },
          },
        },
      ],
      entities: [
        entity('note', 1, { documentId: 'n', publishedAt: null }),
        entity('note', 2, { documentId: 'n' }),
        // two published entries of one document, and one without a documentId
        entity('note', 3, { documentId: 'n', title: 'again' }),
        entity('note', 4, { documentId: undefined, title: 'lost' }),
        entity('writer', 1),
        entity('writer', 2, { documentId: undefined }),
        entity('writer', 3),
      ],
      links: [
        link('note.writers', 1, 'writer', 3, { left: { type: uidOf('note'), ref: 1, field: 'writers', pos: 2 } }),
        link('note.writers', 1, 'writer', 2, {
          left: { type: uidOf('note'), ref: 1, field: 'writers', pos: 1.5 },
          right: { type: uidOf('writer'), ref: 2, field: 'notes', pos: 7 },
        }),
        link('note.writers', 4, 'writer', 2, {
          left: { type: uidOf('note'), ref: 4, field: 'writers', pos: 1 },
          right: { type: uidOf('writer'), ref: 2, field: 'notes', pos: 3 },
        }),
        // several links in an attribute of one
        link('note.first', 2, 'writer', 3),
        link('note.first', 2, 'writer', 1),
      ],
    });
    const loaded = await loadSnapshot(folderOf(files));
    expect(loaded.warnings.length).toBeGreaterThan(0);
    const { folder } = await expectSame(loaded);
    expect(filesIn(folder)['entries/note.json']).toContain(
      '"writers":[{"id":2,"inversePosition":7},"writer-3"],"first":null',
    );
  });

  test('random content after random changes', { timeout: 300_000 }, async () => {
    const seeds = fc.integer({ min: 1, max: 2 ** 30 });
    const draw = cases({ dialect: 'strapi', requests: 1, withRoles: true });
    const property = fc.asyncProperty(draw, fc.boolean(), seeds, async ({ snapshot }, isJson, seed) => {
      // a folder without content types is no snapshot
      fc.pre(snapshot.contentTypes.length > 0);
      completeSnapshot(snapshot);
      const model = modelOf(snapshot);
      const source = isJson ? (structuredClone(snapshot) as unknown as JsonSnapshot) : writeExport(model);
      const options = { tolerance: 'tolerant', dialect: 'strapi' } as const;
      let loaded = await loadSnapshot(source, options);
      await expectSame(loaded, options, 10);
      const random = randomFrom(seed);
      for (let step = 0; step < 8; step++) {
        const name = random.pick(Object.keys(kinds));
        if (isJson && ['changeAccess', 'changeLocales'].includes(name)) continue;
        const batch = kinds[name](random, model);
        if (!batch) continue;
        model.apply(batch);
        loaded = runAtOnce(changeLoadedInSteps(loaded, batch, settings));
      }
      await expectSame(loaded, options, 10);
    });
    await fc.assert(property, { seed: 20261128, numRuns: caseCount(40, 12) });
  });
});

describe('a reference that says more of its link', () => {
  const withRelated = (related: unknown) =>
    load({ entries: { ...entries, article: [{ id: 5, documentId: 'one', related }] } } as never);

  test.each([
    [[{ documentId: 'one', inversePositon: 1 }], 'unknown key "inversePositon" of a reference'],
    [[{ documentId: 'one', id: 0 }], '"id" must be a positive integer, not 0'],
    [[{ documentId: 'one', inversePosition: '1' }], '"inversePosition" must be a number, not "1"'],
    [[{ id: 9 }], 'no article with id 9'],
    [[{}], 'expected a documentId'],
  ])('%j is rejected', async (related, message) => {
    await expect(withRelated(related)).rejects.toThrow(message);
  });

  test('leads to the entry of its id', async () => {
    const loaded = await withRelated([{ id: 5 }]);
    const folder = await writtenTo(loaded);
    expect(filesIn(folder)['entries/article.json']).toContain('"related":["one"]');
  });
});

test('values that are not in memory are counted', async () => {
  const loaded = await load();
  expect(leftOut(loaded)).toMatchObject({ attributes: expect.arrayContaining([`${article}.secret`]), apiTokens: 0 });
  expect(leftOut(loaded).attributes).not.toContain(`${author}.createdBy`);
});

test('settings of a Strapi in a folder let it load as an export does', async () => {
  const folder = temporaryFolder();
  const write = (name: string, value: unknown) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), JSON.stringify(value));
  };
  write('snapshot.json', { strapi: { version: '5.54.0', database: 'sqlite' } });
  write('content-types/note.json', { uid: uidOf('note'), attributes: { title: { type: 'string' } } });
  write('entries/note.json', [{ id: 2, title: 'without a documentId' }]);
  const { kind, tolerance, dialect, warnings } = await loadSnapshot(folder);
  expect({ kind, tolerance, dialect: dialect.name, database: dialect.database }).toEqual({
    kind: 'strapi',
    tolerance: 'tolerant',
    dialect: 'strapi',
    database: 'sqlite',
  });
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('"documentId" is missing')]);
});
