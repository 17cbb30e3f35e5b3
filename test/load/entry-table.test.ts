import { expect, test } from 'vitest';
import { EntryTable, type Version } from '../../src/load/json/entry-table.ts';
import type { EntryType } from '../../src/model/schema/schema.ts';

const [note, author] = ['api::note.note', 'api::author.author'].map((uid) => ({ uid }) as EntryType);

const version = (type: EntryType, published = true, locale: string | null = null): Version => ({
  type,
  published,
  locale,
  location: `entries/${type.uid}.json`,
  label: ` (${locale ?? 'no locale'}, ${published ? 'published' : 'draft'})`,
});

test('the entries of a document are listed in the order in which they were added', () => {
  const table = new EntryTable();
  const versions = [version(note, true, 'en'), version(note, false, 'en'), version(note, true, 'de')];
  expect(versions.map((each, i) => table.add(each, 'a', 10 + i))).toEqual([true, true, true]);
  table.add(version(note, true, 'en'), 'b', 20);
  const type = table.typeNumber(note);
  const entries: number[] = [];
  for (let entry = table.first(type, table.documentNumber(type, 'a')); entry > 0; entry = table.next(entry)) {
    entries.push(entry);
  }
  expect(entries).toEqual([1, 2, 3]);
  expect(entries.map((entry) => table.ordinalOf(entry))).toEqual([10, 11, 12]);
  expect(entries.map((entry) => table.versionOf(entry))).toEqual(versions);
  expect(table.last).toBe(4);
});

test('a second entry with the same status and locale is a duplicate, which is not listed', () => {
  const table = new EntryTable();
  expect(table.add(version(note), 'a', 0)).toBe(true);
  expect(table.add(version(note), 'a', 1)).toBe(false);
  expect(table.add(version(note, false), 'a', 2)).toBe(true);
  const type = table.typeNumber(note);
  const first = table.first(type, table.documentNumber(type, 'a'));
  expect([first, table.next(first), table.next(table.next(first))]).toEqual([1, 3, 0]);
});

test('documents are numbered within their type, with or without entries', () => {
  const table = new EntryTable();
  table.add(version(note), 'a', 0);
  table.add(version(author), 'a', 0);
  const [notes, authors] = [table.typeNumber(note), table.typeNumber(author)];
  expect(table.documentNumber(notes, 'missing')).toBe(1);
  expect(table.first(notes, 1)).toBe(0);
  expect(table.documentId(notes, 1)).toBe('missing');
  expect([table.first(notes, 0), table.first(authors, 0)]).toEqual([1, 2]);
  expect([table.type(notes), table.type(authors)]).toEqual([note, author]);
});

test('the location of an entry names file, document, locale and status', () => {
  const table = new EntryTable();
  table.add(version(note, false, 'en'), 'a', 0);
  table.add(version(note, true, 'en'), 'a', 1);
  expect(table.locationOf(1)).toBe('entries/api::note.note.json, entry a (en, draft)');
  expect(table.locationOf(2)).toBe('entries/api::note.note.json, entry a (en, published)');
});
