/**
 * Checksums of tables, which SQLite computes many times faster than their rows can be read here. They are sums, so that
 * no order of rows matters, and products mix the columns, so that an exchange of two values changes them.
 */

import type { Database } from '../../load/database/database.ts';
import type { LinkTable } from '../../load/database/link-tables.ts';
import { quote } from '../../load/database/table-columns.ts';
import type { TypeTable } from '../../load/database/table-mapping.ts';

/** Primes below 2^24 and 2^32: a product of one below each is exact in 64 bits, as is a sum of 2^31 remainders. */
const smallPrime = 16_777_213;
const largePrime = 4_294_967_291;

/** Added to a number, so that those below 0 differ from those above. */
const offset = 2 ** 40;
/** Stands for null. */
const noNumber = -987_654_321;

/** Returns the column with the time of the last change of a type's rows; null if it is not served. */
export function changeColumn({ columns }: TypeTable): string | null {
  return columns.find(({ attribute }) => attribute === 'updatedAt')?.column ?? null;
}

/** Covers the ids of a type's rows, and when each was changed. */
export function versionChecksum(database: Database, table: string, column: string): string {
  return checksumOf(database, table, ['"id"', quote(column)], '');
}

/** Covers the links of an attribute that the rows of its type hold: the ids of both ends, and the type of the target. */
export function inlineLinkChecksum(database: Database, { table, targetId, ...link }: LinkTable): string {
  const texts = link.kind === 'polymorphic' ? [quote(link.targetType)] : [];
  return checksumOf(database, table, ['"id"', quote(targetId)], ` WHERE ${quote(targetId)} IS NOT NULL`, texts);
}

/** Texts have no number, so there is a sum for each of them. */
function checksumOf(
  database: Database,
  table: string,
  columns: readonly string[],
  where: string,
  texts: readonly string[] = [],
): string {
  const mixed = columns.reduce(
    (product, column) =>
      `(${product} * (1 + abs(coalesce(${column}, ${noNumber}) + ${offset}) % ${smallPrime}) + 1) % ${largePrime}`,
    '1',
  );
  const sums = ['count(*) AS "rows"', `coalesce(sum(${mixed}), 0) AS "total"`];
  const selected = [...sums, ...texts.map((text, i) => `${text} AS "text ${i}"`)].join(', ');
  const groups = texts.length > 0 ? ` GROUP BY ${texts.join(', ')} ORDER BY ${texts.join(', ')}` : '';
  return JSON.stringify(Array.from(database.rows(`SELECT ${selected} FROM ${quote(table)}${where}${groups}`), String));
}
