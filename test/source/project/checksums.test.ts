import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LinkTable } from '../../../src/load/database/link-tables.ts';
import { linkChecksum } from '../../../src/source/project/checksums.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { StrapiDatabase } from './strapi-database.ts';

const relation: LinkTable = {
  ...{ kind: 'relation', uid: 'api::tag.tag', attribute: 'tops', table: 'links', source: 'tag_id', targetId: 'top_id' },
  ...{ target: 'api::top.top', inverse: null, order: 'top_ord', inverseOrder: null },
};
const toOne: LinkTable = {
  ...{ kind: 'polymorphic', uid: 'api::tag.tag', attribute: 'about', table: 'tags', many: false, fields: null },
  ...{ source: 'id', targetId: 'target_id', targetType: 'target_type' },
};
const toMany: LinkTable = {
  ...{
    kind: 'polymorphic',
    uid: 'plugin::upload.file',
    attribute: 'related',
    table: 'media',
    many: true,
    fields: null,
  },
  ...{ source: 'file_id', targetId: 'related_id', targetType: 'related_type' },
};

test.each<[string, LinkTable, string]>([
  ['a first position for none', relation, 'UPDATE links SET top_ord = 1 WHERE id = 2'],
  ['the opposite position', relation, 'UPDATE links SET top_ord = -top_ord WHERE id = 1'],
  ['half a position', relation, 'UPDATE links SET top_ord = 3.5 WHERE id = 1'],
  ['another target', relation, 'UPDATE links SET top_id = 9 WHERE id = 1'],
  ['two targets exchanged', relation, 'UPDATE links SET top_id = 9 - top_id'],
  ['a type with a similar name', toOne, "UPDATE tags SET target_type = 'api::tip.tip'"],
  ['a field with a similar name', toMany, "UPDATE media SET field = 'promo' WHERE id = 1"],
  ['two fields exchanged', toMany, "UPDATE media SET field = iif(id = 1, 'cover', 'photo')"],
  ['no row', toMany, 'DELETE FROM media'],
])('a table has another checksum with %s', (_, link, change) => {
  const path = join(temporaryFolder(), 'data.db');
  writeFileSync(path, '');
  const database = new StrapiDatabase(path);
  for (const statement of [
    'CREATE TABLE links (id INTEGER PRIMARY KEY, tag_id INTEGER, top_id INTEGER, top_ord FLOAT)',
    'INSERT INTO links VALUES (1, 1, 4, 3), (2, 1, 5, NULL)',
    'CREATE TABLE tags (id INTEGER PRIMARY KEY, target_id INTEGER, target_type TEXT)',
    "INSERT INTO tags VALUES (1, 7, 'api::top.top'), (2, NULL, NULL)",
    'CREATE TABLE media (id INTEGER PRIMARY KEY, file_id INTEGER, related_id INTEGER, related_type TEXT, field TEXT, "order" FLOAT)',
    "INSERT INTO media VALUES (1, 1, 1, 'api::tag.tag', 'photo', 1), (2, 2, 1, 'api::tag.tag', 'cover', 1)",
  ]) {
    database.run(statement);
  }
  const before = linkChecksum(database, link);
  expect(linkChecksum(database, link)).toBe(before);
  database.run(change);
  expect(linkChecksum(database, link)).not.toBe(before);
  database.close();
});
