/** What the tables of a MySQL or MariaDB database say about the texts and the JSON in them. */
import { defaultMysqlTables, type MysqlTables } from '../../../core/dialect.ts';
import { type SnapshotWarning, warning } from '../../../core/problems.ts';
import { collationOf } from '../../../model/collations/collation.ts';
import type { Database } from '../database.ts';

/**
 * Reads the collation that most texts have, and warns of others and of rules that are answered by those of another
 * collation. `location` is the place of the database in messages.
 */
export async function readMysqlTables(
  database: Database,
  location: string,
): Promise<{ tables: MysqlTables; warnings: SnapshotWarning[] }> {
  // MariaDB stores JSON as longtext with the collation utf8mb4_bin
  const rows = await database.all(
    'SELECT collation_name, count(*) FROM information_schema.columns WHERE table_schema = database() ' +
      "AND (data_type = 'json' OR collation_name IS NOT NULL AND NOT (data_type = 'longtext' AND collation_name = 'utf8mb4_bin')) " +
      'GROUP BY collation_name ORDER BY count(*) DESC, collation_name',
  );
  const collations = rows.filter(([name]) => name !== null);
  const collation = (collations[0]?.[0] as string | undefined) ?? defaultMysqlTables.collation;
  const warnings: SnapshotWarning[] = [];
  const warn = (message: string) => warnings.push(warning('other-collation', `${location}: ${message}`));
  if (collations.length > 1) {
    const counts = collations.map(([name, count]) => `${name} in ${count} columns`).join(', ');
    warn(`texts have several collations (${counts}); all are compared by ${collation}`);
  }
  const { nearest } = collationOf(collation);
  if (nearest !== null) warn(`texts with the collation ${collation} are compared by the rules of ${nearest}`);
  return { tables: { collation, hasJson: rows.length > collations.length }, warnings };
}
