/** Content without users, of every kind of input: what it would be if somebody deleted all users. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compactStore } from '../../src/changes/compact/compact-store.ts';
import { Content } from '../../src/content/content.ts';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { writeImage } from '../../src/load/image/write-image.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { countUsers, type LoadedSnapshot, type LoadOptions } from '../../src/load/loaded.ts';
import { userType } from '../../src/model/schema/schema.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { segmentOf } from '../../src/store/store.ts';
import { almanacExport } from '../conformance/almanac.ts';
import { applyTo } from '../source/project/followed-content.ts';
import { StrapiDatabase } from '../source/project/strapi-database.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';
import { makeImageFolder, newPath } from '../support/images.ts';
import { pairwise } from '../support/pairs.ts';
import { filesIn, writtenTo } from '../support/written-snapshot.ts';
import { databaseOf, exportOf, unpackProject } from './project/recorded-projects.ts';

makeImageFolder();

/** What each user has and no other entry. */
function personalValues({ store }: LoadedSnapshot): string[] {
  const { collection } = segmentOf(store, userType);
  const texts = Array.from({ length: collection.rowCount }, (_, row) =>
    ['email', 'documentId'].map((name) => collection.jsonRows.value(row, name)),
  );
  return texts.flat().filter((text): text is string => typeof text === 'string' && text !== '');
}

/** Deletes all users. */
async function withoutUsers(loaded: LoadedSnapshot): Promise<LoadedSnapshot> {
  const { collection } = segmentOf(loaded.store, userType);
  const entities = Array.from({ length: collection.rowCount }, (_, row) => ({
    type: userType,
    id: collection.jsonRows.value(row, 'id') as number,
    data: null,
  }));
  const after = applyTo(loaded, { entities, links: [] });
  return { ...after, store: await compactStore(after.store, imageContentOf(after).facts, heapAllocator) };
}

async function imageOf(loaded: LoadedSnapshot): Promise<string> {
  const path = newPath();
  await writeImage(path, imageContentOf(loaded));
  return path;
}

const load = (source: string, options: LoadOptions = {}) => loadSnapshot(source, { users: false, ...options });

/** A recorded project in each form: the folder, its export, the same as JSON. */
const sources: Record<string, string> = {};

beforeAll(async () => {
  sources.export = exportOf('museum');
  sources['export of Strapi 4'] = almanacExport;
  sources['JSON snapshot'] = await writtenTo(await loadSnapshot(exportOf('museum')));
  const folder = unpackProject('museum');
  // a polymorphic relation may lead to a user, too
  const database = new StrapiDatabase(databaseOf(folder));
  const [remark] = database.select('remarks');
  const [user] = database.select('up_users');
  database.update('remarks', remark.id, { target_id: user.id, target_type: userType });
  await database.close();
  sources['folder of a project'] = folder;
  sources['JSON snapshot with a polymorphic relation to a user'] = await writtenTo(await loadSnapshot(folder));
});

const names = [
  'export',
  'export of Strapi 4',
  'JSON snapshot',
  'folder of a project',
  'JSON snapshot with a polymorphic relation to a user',
];

describe.each(names)('the %s', (name) => {
  let whole: LoadedSnapshot;
  let loaded: LoadedSnapshot;
  beforeAll(async () => {
    whole = await loadSnapshot(sources[name]);
    loaded = await load(sources[name]);
  });

  test('has the other entries, and links between them, only', async () => {
    expect(countUsers(whole.store)).toBeGreaterThan(0);
    expect(countUsers(loaded.store)).toBe(0);
    expect(loaded.blockedUsers.size).toBe(0);
    expect(loaded.store.contentDigest).toBe((await withoutUsers(whole)).store.contentDigest);
    expect(loaded.roles).toEqual(whole.roles);
    expect(loaded.types).toEqual(whole.types);
    expect(loaded.warnings).toEqual(whole.warnings);
  });

  test('is written without a word of them', async () => {
    const values = personalValues(whole);
    expect(values.length).toBeGreaterThanOrEqual(2);
    const written = async (content: LoadedSnapshot) => [
      readFileSync(await imageOf(content)),
      Buffer.from(Object.values(filesIn(await writtenTo(content))).join('')),
    ];
    for (const bytes of await written(loaded)) {
      for (const value of values) expect(bytes.includes(value), value).toBe(false);
    }
    // a value is written otherwise
    for (const bytes of await written(whole)) expect(bytes.includes(values[0])).toBe(true);
  });

  test('is refused as an image that has them, and opened as an image without', async () => {
    const count = countUsers(whole.store);
    const users = count === 1 ? '1 user' : `${count} users`;
    await expect(load(await imageOf(whole))).rejects.toThrow(
      `the image holds ${users}, and the setting users is false. Build it again with this setting`,
    );
    const image = await imageOf(loaded);
    for (const users of [true, false]) {
      expect((await loadSnapshot(image, { users })).store.contentDigest).toBe(loaded.store.contentDigest);
    }
  });
});

const pairs = pairwise({
  dialect: ['document', 'strapi'],
  database: ['postgres', 'sqlite', 'mysql'],
  mediaUrl: [undefined, 'https://media.example'],
  search: [[], ['*']],
} as const);

test.each(pairs.map((options) => [JSON.stringify(options), options] as const))(
  'with the settings %s, an image opens as what it was built from',
  async (_, options) => {
    const loaded = await load(almanacExport, options);
    const whole = await loadSnapshot(almanacExport, options);
    expect(loaded.store.contentDigest).toBe((await withoutUsers(whole)).store.contentDigest);
    const opened = await load(await imageOf(loaded), options);
    expect([countUsers(opened.store), opened.store.contentDigest]).toEqual([0, loaded.store.contentDigest]);
    for (const drafts of [true, false]) {
      const settings = readOptions({ ...options, search: [], drafts, users: false, public: true });
      const content = new Content(opened, settings, 0);
      expect((await content.answer('/api/articles?populate=*')).status).toBe(200);
    }
  },
);

test('the rows of users are not looked at', async () => {
  const folder = temporaryFolder();
  const snapshot = thingSnapshot({ keeper: { type: 'relation', relation: 'manyToOne', target: userType } }, [
    { documentId: 'a', keeper: 'nobody' },
  ]);
  mkdirSync(join(folder, 'content-types'));
  writeFileSync(join(folder, 'content-types', 'thing.json'), JSON.stringify(snapshot.contentTypes[0]));
  mkdirSync(join(folder, 'entries'));
  writeFileSync(join(folder, 'entries', 'thing.json'), JSON.stringify(snapshot.entries!.thing));
  writeFileSync(join(folder, 'entries', 'user.json'), '[{"documentId": "u", "email": ');
  await expect(loadSnapshot(folder)).rejects.toThrow('entries/user.json');
  const loaded = await load(folder);
  expect([countUsers(loaded.store), segmentOf(loaded.store, 'api::thing.thing').rowCount]).toEqual([0, 1]);
});

test('a database is never asked for them', async () => {
  const folder = unpackProject('museum');
  const database = new StrapiDatabase(databaseOf(folder));
  database.run('PRAGMA foreign_keys = OFF');
  for (const table of ['up_users_role_lnk', 'up_users']) database.run(`DROP TABLE ${table}`);
  await database.close();
  await expect(loadSnapshot(folder)).rejects.toThrow('needs the table up_users, which is missing');
  const loaded = await load(folder);
  expect(loaded.store.contentDigest).toBe((await load(unpackProject('museum'))).store.contentDigest);
});
