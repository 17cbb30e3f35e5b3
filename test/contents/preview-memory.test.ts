import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/config.ts';
import type { Content } from '../../src/content.ts';
import { OpenPreviews } from '../../src/contents/open-previews.ts';
import { Preview, type PutPreview } from '../../src/contents/preview.ts';
import { packChanges } from '../../src/contents/preview-changes.ts';
import { storeBytes } from '../../src/store/store-bytes.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

/** What previews hold in memory, and what they show with drafts. */

const thing = 'api::thing.thing';
const settings = configSchema.parse({ public: true });

function previewOf(base: Content, changes: unknown[], open = new OpenPreviews(2 ** 24), drafts = false): Preview {
  const put: PutPreview = {
    name: 'pr',
    snapshot: '',
    isUploaded: true,
    preview: { base: 'main', drafts, sha256: null, epoch: 1 },
    hosts: [],
    tokens: [],
    putAt: '2026-01-01T00:00:00.000Z',
    expires: null,
  };
  const baseOf = () => ({ id: 1, content: base });
  return new Preview(put, packChanges([changes]), { settings, extension: null, open, baseOf });
}

const edited = (number: number) => ({
  upsert: thing,
  entry: { documentId: `d${number}`, name: `edited ${number}`, friends: ['d7'] },
});

function baseOfThings(count: number): Promise<Content> {
  const friends = { type: 'relation', relation: 'manyToMany', target: thing, inversedBy: 'fans' };
  const fans = { type: 'relation', relation: 'manyToMany', target: thing, mappedBy: 'friends' };
  const entries = Array.from({ length: count }, (_, i) => ({
    documentId: `d${i}`,
    name: `a thing with the number ${i}`,
    friends: [`d${(i + 1) % count}`],
  }));
  return openShared(thingSnapshot({ name: { type: 'string' }, friends, fans }, entries), { public: true });
}

test('a preview shares all buffers of its base, and has its own for what changed and bit sets of the rows', async () => {
  const rows = 20_000;
  const base = await baseOfThings(rows);
  const ofBase = storeBytes(base.served.loaded.store);
  expect(previewOf(base, []).facts.bytes).toBeLessThan(200);
  const ten = previewOf(
    base,
    Array.from({ length: 10 }, (_, i) => edited(100 + i)),
  ).facts.bytes!;
  const twenty = previewOf(
    base,
    Array.from({ length: 20 }, (_, i) => edited(100 + i)),
  ).facts.bytes!;
  // the changes themselves, the sets of changed rows and of patched lists in both directions
  expect(ten).toBeLessThan(4 * (rows / 8) + 10_000);
  expect(twenty - ten).toBeLessThan(10_000);
  expect(100 * ten).toBeLessThan(ofBase);
  // new rows need more sets: all rows, and one for all links
  const added = previewOf(base, [edited(100), edited(rows)]).facts.bytes!;
  expect(added).toBeLessThan(7 * (rows / 8) + 10_000);
});

test('the previews in use hold a number of bytes, and the one that was used last', async () => {
  const base = await baseOfThings(100);
  const open = new OpenPreviews(2 ** 19 + 2 ** 17);
  const previews = [1, 2, 3].map((number) => previewOf(base, [edited(number)], open));
  const [first, second, third] = previews;
  const contents = previews.map((preview) => preview.content);
  // two fit, and the third request took the place of the first
  expect(second.content).toBe(contents[1]);
  expect(third.content).toBe(contents[2]);
  expect(first.content).not.toBe(contents[0]);
  expect(second.content).not.toBe(contents[1]);
});

test('the version of a preview follows from the base and the changes, so that all threads have the same', async () => {
  const base = await baseOfThings(10);
  const [one, other] = [previewOf(base, [edited(1)]), previewOf(base, [edited(1)])];
  expect(one.content.version).toBe(other.content.version);
  expect(one.facts.version).toBe(other.facts.version);
});

test('a preview with drafts shows drafts, its own among them, in the place of published entries', async () => {
  const draftAndPublish = { options: { draftAndPublish: true } };
  const attributes = { title: { type: 'string' } };
  const entries = [
    { documentId: 'a', title: 'published', status: 'published' },
    { documentId: 'a', title: 'draft', status: 'draft' },
    { documentId: 'b', title: 'only published', status: 'published' },
  ];
  const info = { singularName: 'thing', pluralName: 'things' };
  const snapshot = thingSnapshot(attributes, entries, { contentTypes: [{ info, attributes, ...draftAndPublish }] });
  const base = await openShared(snapshot, { public: true });
  const titles = (content: Content) =>
    (content.find('things', { sort: 'title' }).data as unknown as { title: string }[]).map(({ title }) => title);
  const changes = [{ upsert: thing, entry: { documentId: 'c', title: 'a new draft', status: 'draft' } }];
  expect(titles(previewOf(base, changes, undefined, true).content)).toEqual(['a new draft', 'draft', 'only published']);
  expect(titles(previewOf(base, changes).content)).toEqual(['only published', 'published']);
  expect(titles(base)).toEqual(['only published', 'published']);
});
