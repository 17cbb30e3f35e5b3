import { expect, test, vi } from 'vitest';
import type { Content } from '../../src/content/content.ts';
import { OpenPreviews } from '../../src/content/previews/open-previews.ts';
import { storeBytes } from '../../src/store/own-bytes.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { previewOf } from './preview-of.ts';

/** What previews hold in memory, and what they show with drafts. */

const thing = 'api::thing.thing';

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
  const ofBase = storeBytes(base.history.loaded.store);
  const bytesOf = async (changes: unknown[]) => (await previewOf(base, [changes]).open()).facts.bytes!;
  const changesOf = (length: number) => Array.from({ length }, (_, i) => edited(100 + i));
  expect(await bytesOf([])).toBeLessThan(200);
  const ten = await bytesOf(changesOf(10));
  const twenty = await bytesOf(changesOf(20));
  // the changes themselves, the sets of changed rows and of patched lists in both directions
  expect(ten).toBeLessThan(4 * (rows / 8) + 10_000);
  expect(twenty - ten).toBeLessThan(10_000);
  expect(100 * ten).toBeLessThan(ofBase);
  // new rows need more sets: all rows, and one for all links
  const added = await bytesOf([edited(100), edited(rows)]);
  expect(added).toBeLessThan(7 * (rows / 8) + 10_000);
});

test('the previews in use hold a number of bytes, and the one that was used last', async () => {
  const base = await baseOfThings(100);
  const open = new OpenPreviews(2 ** 19 + 2 ** 17);
  const previews = [1, 2, 3].map((number) => previewOf(base, [[edited(number)]], { open }));
  const [first, second, third] = previews;
  const contents: Content[] = [];
  for (const preview of previews) contents.push((await preview.open()).content);
  // two fit, and the third request took the place of the first
  expect((await second.open()).content).toBe(contents[1]);
  expect((await third.open()).content).toBe(contents[2]);
  expect((await first.open()).content).not.toBe(contents[0]);
  expect((await second.open()).content).not.toBe(contents[1]);
});

test('a large preview is made while other work goes on, and once for all who wait', async () => {
  const base = await baseOfThings(2000);
  const preview = previewOf(base, [Array.from({ length: 2000 }, (_, i) => edited(i))]);
  let turns = 0;
  let isMaking = true;
  const count = () => {
    turns++;
    if (isMaking) setImmediate(count);
  };
  setImmediate(count);
  const [first, second] = await Promise.all([preview.open(), preview.open()]);
  isMaking = false;
  expect(second).toBe(first);
  // each takes a millisecond, or one step
  expect(turns).toBeGreaterThan(20);
});

test('callers who arrive while outdated changes are applied share the content of the next', async () => {
  const base = await baseOfThings(200);
  const preview = previewOf(base, [Array.from({ length: 200 }, (_, i) => edited(i))]);
  const make = vi.spyOn(preview.maker, 'makeInSteps');
  const first = preview.open();
  await Promise.resolve();
  const { changes: before } = preview;
  const { changes } = previewOf(base, [[edited(1)]]);
  preview.take(changes);
  const [second, third] = await Promise.all([preview.open(), preview.open()]);
  expect((await first).changes).toBe(before);
  expect(second.changes).toBe(changes);
  expect(third).toBe(second);
  expect(await preview.open()).toBe(second);
  expect(make).toHaveBeenCalledTimes(2);
});

test('the version of a preview follows from the base and the changes, so that all threads have the same', async () => {
  const base = await baseOfThings(10);
  const [one, other] = [await previewOf(base, [[edited(1)]]).open(), await previewOf(base, [[edited(1)]]).open()];
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
  const shown = await previewOf(base, [changes], { drafts: true }).open();
  expect(titles(shown.content)).toEqual(['a new draft', 'draft', 'only published']);
  expect(titles((await previewOf(base, [changes]).open()).content)).toEqual(['only published', 'published']);
  expect(titles(base)).toEqual(['only published', 'published']);
});
