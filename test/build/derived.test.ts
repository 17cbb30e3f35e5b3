import { expect, test } from 'vitest';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';

const snapshot: JsonSnapshot = {
  contentTypes: [
    {
      kind: 'collectionType',
      info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
      options: { draftAndPublish: true },
      attributes: { title: { type: 'string' }, extra: { type: 'json' } },
    },
  ],
  entries: {
    note: [
      { documentId: 'a', status: 'draft', title: 'A', extra: { b: 1, a: new Date(0) } },
      { documentId: 'a', status: 'published', title: 'A' },
      { documentId: 'b', status: 'draft', title: 'B' },
    ],
  },
};

const noteOf = async (dialect: 'document' | 'strapi') =>
  (await loadSnapshot(snapshot, { dialect })).store.byUid.get('api::note.note')!;

test('ids and other values that differ in each row have the same offsets in memory', async () => {
  const { columns } = await noteOf('document');
  const offsets = (name: string) => columns.get(name)!.index.offsets;
  expect(offsets('id')).not.toBe(offsets('title'));
  const { store } = await loadSnapshot({ ...snapshot, entries: { note: snapshot.entries!.note!.slice(1) } });
  const unique = store.byUid.get('api::note.note')!.columns;
  expect(unique.get('documentId')!.index.offsets).toBe(unique.get('id')!.index.offsets);
});

test('the store has version links and JSON as text if queries of the dialect read them', async () => {
  const { versions, comparedTexts } = await noteOf('strapi');
  expect([...versions!.forward.offsets]).toEqual([0, 2, 4, 5]);
  expect([...versions!.forward.targets]).toEqual([0, 1, 0, 1, 2]);
  const extra = comparedTexts.get('extra')!;
  expect([...extra.codes]).toEqual([1, 0, 0]);
  // as the reply shows the value, a date as its text
  const { dictionary } = extra;
  expect(dictionary.kind === 'text' && dictionary.text(0)).toBe('{"a": "1970-01-01T00:00:00.000Z", "b": 1}');
});

test('the store has neither if they do not', async () => {
  const { versions, comparedTexts } = await noteOf('document');
  expect(versions).toBeNull();
  expect([...comparedTexts.keys()]).toEqual([]);
});
