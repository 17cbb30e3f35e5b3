/**
 * Checksums of tables. SQLite computes them many times faster than rows can be read. A sum over the rows does not depend on
 * their order. Products mix the columns of a row, so that swapping two values changes the sum.
 */
import { type Database, quote } from '../../../load/database/database.ts';
import type { SqliteState } from '../../../load/database/sqlite/sqlite-states.ts';
import type { LinkTable } from '../../../load/database/table-mapping.ts';
import type { TableChecksums } from './time-tracking.ts';

/**
 * Primes below 2^24 and 2^32: a product of one number below each is exact in 64 bits, as is a sum of 2^31 remainders.
 */
const smallPrime = 16_777_213;
const largePrime = 4_294_967_291;

/** Added to a number, so that those below 0 differ from those above. */
const offset = 2 ** 40;
/** Stands for null. */
const noNumber = -987_654_321;

/** Maximum characters of names in a link. Longer rows might not fit a page of 512 bytes, the smallest. */
const longText = 100;

/** Returns the checksums of the tables of a copy: those of pages where they cover the rows. */
export function sqliteChecksums({ database, pages }: SqliteState): TableChecksums {
  // the rows of a content type may be too long for a digest of pages
  const links = async (table: LinkTable) =>
    table.source === 'id' ? inlineLinkChecksum(database, table) : pages.digest(table.table);
  return {
    times: (table, updatedAt) => versionChecksum(database, table, updatedAt),
    links,
    linksWithTexts: async (table, longest) => (longest > longText ? null : links(table)),
    rows: async (table) => pages.digest(table, true),
  };
}

/** Covers the ids of a type's rows, and when each was changed. */
function versionChecksum(database: Database, table: string, column: string): Promise<string> {
  return checksumOf(database, table, ['"id"', quote(column)], '');
}

/** Covers the links of an attribute that the rows of its type hold: the ids of both ends, and the type of the target. */
export function inlineLinkChecksum(database: Database, { table, targetId, ...link }: LinkTable): Promise<string> {
  const texts = link.kind === 'polymorphic' ? [quote(link.targetType)] : [];
  return checksumOf(database, table, ['"id"', quote(targetId)], ` WHERE ${quote(targetId)} IS NOT NULL`, texts);
}

/** Texts have no number, so there is a sum for each of them. */
async function checksumOf(
  database: Database,
  table: string,
  columns: readonly string[],
  where: string,
  texts: readonly string[] = [],
): Promise<string> {
  const mixed = columns.reduce(
    (product, column) =>
      `(${product} * (1 + abs(coalesce(${column}, ${noNumber}) + ${offset}) % ${smallPrime}) + 1) % ${largePrime}`,
    '1',
  );
  const sums = ['count(*) AS "rows"', `coalesce(sum(${mixed}), 0) AS "total"`];
  const selected = [...sums, ...texts.map((text, i) => `${text} AS "text ${i}"`)].join(', ');
  const groups = texts.length > 0 ? ` GROUP BY ${texts.join(', ')} ORDER BY ${texts.join(', ')}` : '';
  const rows = await database.all(`SELECT ${selected} FROM ${quote(table)}${where}${groups}`);
  return JSON.stringify(rows.map(String));
}
