import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inlineLinkChecksum } from '../../../src/follow/database/sqlite/table-checksums.ts';
import type { LinkTable } from '../../../src/load/database/table-mapping.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { StrapiDatabase } from './strapi-database.ts';

const link: LinkTable = {
  ...{ kind: 'polymorphic', uid: 'api::tag.tag', attribute: 'about', table: 'tags', many: false, fields: null },
  ...{ source: 'id', targetId: 'target_id', targetType: 'target_type' },
};

test.each<[string, string]>([
  ['another target', 'UPDATE tags SET target_id = 9 WHERE id = 1'],
  ['two targets exchanged', 'UPDATE tags SET target_id = 15 - target_id'],
  ['a type with a similar name', "UPDATE tags SET target_type = 'api::tip.tip' WHERE id = 1"],
  ['two types exchanged', "UPDATE tags SET target_type = iif(id = 1, 'api::tip.tip', 'api::top.top')"],
  ['no link', 'UPDATE tags SET target_id = NULL'],
  ['no row', 'DELETE FROM tags'],
])('links in the rows of a type have another checksum with %s', async (_, change) => {
  const path = join(temporaryFolder(), 'data.db');
  writeFileSync(path, '');
  const database = new StrapiDatabase(path);
  database.run('CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT, target_id INTEGER, target_type TEXT)');
  database.run(
    "INSERT INTO tags VALUES (1, 'a', 7, 'api::top.top'), (2, 'b', 8, 'api::tip.tip'), (3, 'c', NULL, NULL)",
  );
  const before = await inlineLinkChecksum(database, link);
  database.run("UPDATE tags SET name = 'z'");
  expect(await inlineLinkChecksum(database, link)).toBe(before);
  database.run(change);
  expect(await inlineLinkChecksum(database, link)).not.toBe(before);
  await database.close();
});
