import { expect, test } from 'vitest';
import { conflictsOf, lacksJournal, resolutionOf, sidesOf } from '../../src/admin-page/state/conflicts.ts';
import {
  changedDocuments,
  changeTexts,
  documentOf,
  keyOf,
  otherDifferences,
  sentDocuments,
  targetOf,
  valueText,
} from '../../src/admin-page/state/differences.ts';
import type { Conflict } from '../../src/admin-page/state/replies.ts';
import type { ApiError } from '../../src/explorer/reply/api-error.ts';
import { diff } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';

/** The page shows what `diff` finds, by document, and sends what a person chooses. */

const type = 'api::thing.thing';
const entry = { type, documentId: 'one', id: null, locale: null, status: 'published' as const };

test('entries of a document are one, in any locale and status', () => {
  const changed = { kind: 'changed' as const, changes: [] };
  const entries = [
    { ...entry, ...changed, locale: 'en' },
    { ...entry, ...changed, documentId: null, id: 7 },
    { ...entry, ...changed, locale: 'fr' },
    { ...entry, ...changed, type: 'api::other.other' },
  ];
  const documents = changedDocuments(entries);
  expect(documents.map(({ documentId, entries: of }) => [documentId, of.length])).toEqual([
    ['one', 2],
    [null, 1],
    ['one', 1],
  ]);
  expect(new Set(documents.map(({ key }) => key)).size).toBe(3);
  expect(documents[0].key).toBe(keyOf(type, 'one'));
  expect(documentOf(documents[0].key)).toEqual({ type, documentId: 'one' });
});

test('changes name their documents, whatever they do', () => {
  const changes = [
    { at: '2026', upsert: type, entry: { documentId: 'one', locale: 'en', status: 'draft' } },
    { patch: type, documentId: 'two', locale: 'fr', set: {} },
    { delete: type, documentId: 'three' },
    { upsert: type, entry: { name: 'no document' } },
    { nonsense: 1 },
  ];
  expect(changes.map(targetOf)).toEqual([
    { operation: 'upsert', type, documentId: 'one', locale: 'en', status: 'draft' },
    { operation: 'patch', type, documentId: 'two', locale: 'fr', status: null },
    { operation: 'delete', type, documentId: 'three', locale: null, status: null },
    { operation: 'upsert', type, documentId: null, locale: null, status: null },
    { operation: 'change', type: '', documentId: null, locale: null, status: null },
  ]);
  expect([...sentDocuments(changes)]).toEqual(['one', 'two', 'three'].map((id) => keyOf(type, id)));
});

test.each([
  [null, 'nothing'],
  [undefined, 'nothing'],
  ['a "b"', '“a "b"”'],
  [0, '0'],
  [false, 'false'],
  [[1, { a: null }], '[1,{"a":null}]'],
  ['x'.repeat(1000), `“${'x'.repeat(399)}…`],
])('the value %j is shown as %s', (value, text) => {
  expect(valueText(value)).toBe(text);
});

test('a change has two sides, unless it is private', () => {
  const two = { ...entry, documentId: 'two', locale: 'en' };
  expect(changeTexts({ path: 'a', kind: 'value', before: 1, after: null })).toEqual({ before: '1', after: 'nothing' });
  expect(changeTexts({ path: 'a', kind: 'relation', before: [entry, two], after: [] })).toEqual({
    before: 'one (published), two (en, published)',
    after: 'nothing',
  });
  expect(changeTexts({ path: 'a', kind: 'private', before: null, after: null })).toBe(null);
});

test('what differs besides entries has a line each', async () => {
  const snapshot = thingSnapshot({ title: { type: 'string' } }, []);
  const roles = [
    { type: 'public', permissions: [] },
    { type: 'editor', permissions: [`${type}.find`] },
  ];
  const differences = await diff(snapshot, { ...snapshot, roles });
  expect(otherDifferences(differences)).toEqual([
    'role editor added',
    `+ permission of editor: ${type}.find`,
    `− permission of public: ${type}.find`,
    `− permission of public: ${type}.findOne`,
  ]);
});

const conflict: Conflict = {
  type,
  documentId: 'one',
  locale: null,
  status: 'published',
  kind: 'changed',
  attribute: 'title',
  base: 'a',
  preview: 'b',
  message: '',
};
const errorWith = (details: Record<string, unknown>): ApiError => ({
  status: 409,
  name: 'ConflictError',
  message: '',
  place: [],
  value: null,
  details,
});

test('only a conflict of values can be won by the preview', () => {
  expect(sidesOf(conflict)).toEqual(['base', 'preview']);
  expect(sidesOf({ ...conflict, kind: 'gone' })).toEqual(['base']);
  expect(sidesOf({ ...conflict, kind: 'unfit' })).toEqual(['base']);
});

test('a resolution names what a conflict names', () => {
  expect(resolutionOf(conflict, 'preview')).toEqual({
    type,
    documentId: 'one',
    status: 'published',
    attribute: 'title',
    take: 'preview',
  });
  expect(resolutionOf({ ...conflict, kind: 'gone', attribute: null, status: null, locale: 'en' }, 'base')).toEqual({
    type,
    documentId: 'one',
    locale: 'en',
    take: 'base',
  });
});

test('errors without conflicts, and of other forms, have none', () => {
  expect(conflictsOf(errorWith({ conflicts: [conflict] }))).toEqual([conflict]);
  for (const details of [{}, { conflicts: 'x' }, { previous: '1-2' }]) {
    expect(conflictsOf(errorWith(details))).toEqual([]);
  }
  expect([{ setting: 'journal' }, {}].map((details) => lacksJournal(errorWith(details)))).toEqual([true, false]);
});
