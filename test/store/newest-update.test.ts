import { expect, test } from 'vitest';
import { newestUpdate } from '../../src/content/versions/summary.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { thingSnapshot } from '../support/guide.ts';

const time = '2000-01-01T00:00:00.000Z';

const updated = async (...times: string[]) => {
  const entries = times.map((updatedAt, i) => ({
    documentId: String(i),
    createdAt: '2000-01-01T00:00:00.000Z',
    updatedAt,
  }));
  return newestUpdate((await loadSnapshot(thingSnapshot({}, entries))).store);
};

test('returns the newest time of all entries, wherever it is', async () => {
  const [oldest, middle, newest] = ['1969-07-20T20:17:40.000Z', '2001-02-03T04:05:06.789Z', '2026-01-01T00:00:00.000Z'];
  expect(await updated(oldest)).toBe(oldest);
  expect(await updated(middle, newest, oldest)).toBe(newest);
});

test('returns null without entries', async () => {
  expect(await updated()).toBeNull();
});

test('an attribute of a component is no time of an entry, whatever its name', async () => {
  const attributes = { part: { type: 'component', component: 'a.part' } };
  const components = { 'a.part': { attributes: { updatedAt: { type: 'float' } } } };
  const entry = { documentId: 'a', createdAt: time, updatedAt: time, part: { updatedAt: 1e300 } };
  const { store } = await loadSnapshot(thingSnapshot(attributes, [entry], { components }));
  expect(newestUpdate(store)).toBe(time);
});
