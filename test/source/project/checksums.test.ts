import { describe, expect, test } from 'vitest';
import type { LinkTable } from '../../../src/load/database/link-tables.ts';
import { linkChecksum, versionChecksum } from '../../../src/source/project/checksums.ts';
import { databaseOf, unpackProject } from '../../load/project/recorded-projects.ts';
import { StrapiDatabase } from './strapi-database.ts';

const makers: LinkTable = {
  kind: 'relation',
  uid: 'api::exhibit.exhibit',
  attribute: 'makers',
  target: 'api::artist.artist',
  inverse: 'works',
  table: 'exhibits_makers_lnk',
  source: 'exhibit_id',
  targetId: 'artist_id',
  order: 'artist_ord',
  inverseOrder: 'exhibit_ord',
};

/** Returns whether an edit changes a checksum. Gives up the edit. */
function changes(database: StrapiDatabase, checksum: () => { sum: string }, edit: () => void): boolean {
  database.run('BEGIN');
  const { sum } = checksum();
  edit();
  const isChanged = checksum().sum !== sum;
  database.run('ROLLBACK');
  return isChanged;
}

describe('a checksum of links', () => {
  test('changes with ends, positions, exchanged positions and the set of links', () => {
    const database = new StrapiDatabase(databaseOf(unpackProject('museum')));
    const [first, second] = database.select(makers.table, 'artist_ord IS NOT NULL');
    const linked = database.select(makers.table, 'exhibit_id = ?', [first.exhibit_id]);
    const artists = database.select('artists');
    const unlinked = artists.find(({ id }) => linked.every((row) => row.artist_id !== id));
    const edits = {
      end: () => database.update(makers.table, first.id, { artist_id: unlinked!.id }),
      position: () => database.update(makers.table, first.id, { artist_ord: Number(first.artist_ord) + 0.5 }),
      'no position': () => database.update(makers.table, first.id, { exhibit_ord: null }),
      exchange: () => {
        database.update(makers.table, first.id, { artist_ord: 11 });
        database.update(makers.table, second.id, { artist_ord: 12 });
      },
      delete: () => database.delete(makers.table, first.id),
      insert: () => database.insert(makers.table, { ...first, artist_id: unlinked!.id }),
    };
    for (const [name, edit] of Object.entries(edits)) {
      expect([name, changes(database, () => linkChecksum(database, makers), edit)]).toEqual([name, true]);
    }
    database.update(makers.table, first.id, { artist_ord: 12 });
    database.update(makers.table, second.id, { artist_ord: 11 });
    expect(changes(database, () => linkChecksum(database, makers), edits.exchange)).toBe(true);
    expect(
      changes(
        database,
        () => linkChecksum(database, makers),
        () => {},
      ),
    ).toBe(false);
    database.close();
  });
});

test('a checksum of versions changes with each time and with the set of rows', () => {
  const database = new StrapiDatabase(databaseOf(unpackProject('museum')));
  const checksum = () => versionChecksum(database, 'tags', 'updated_at');
  const [first, second] = database.select('tags');
  const edits = {
    time: () => database.update('tags', first.id, { updated_at: Number(first.updated_at) + 1 }),
    'two times': () => {
      database.update('tags', first.id, { updated_at: Number(first.updated_at) + 1 });
      database.update('tags', second.id, { updated_at: Number(second.updated_at) - 1 });
    },
    delete: () => database.delete('tags', first.id),
    insert: () => database.insert('tags', first),
  };
  for (const [name, edit] of Object.entries(edits)) {
    expect([name, changes(database, checksum, edit)]).toEqual([name, true]);
  }
  expect(changes(database, checksum, () => database.update('tags', first.id, { weight: 1.5 }))).toBe(false);
  database.close();
});
