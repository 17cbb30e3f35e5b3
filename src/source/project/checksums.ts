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

/** The checksum of a table and its number of rows. */
export interface TableChecksum {
  readonly sum: string;
  readonly rows: number;
}

/** Returns the column with the time of the last change of a type's rows; null if it is not served. */
export function changeColumn({ columns }: TypeTable): string | null {
  return columns.find(({ attribute }) => attribute === 'updatedAt')?.column ?? null;
}

/** Covers the ids of a type's rows, and when each was changed. */
export function versionChecksum(database: Database, table: string, column: string): TableChecksum {
  return checksumOf(database, table, ['"id"', quote(column)], '');
}

/** Covers the links of an attribute: the ids of the rows, both ends, and both positions. */
export function linkChecksum(database: Database, link: LinkTable): TableChecksum {
  const { table, source, targetId } = link;
  const columns = ['"id"', quote(source), quote(targetId)];
  if (link.kind === 'relation') {
    for (const position of [link.order, link.inverseOrder]) if (position) columns.push(thousandths(quote(position)));
  } else {
    for (const name of link.many ? [link.targetType, 'field'] : [link.targetType])
      columns.push(textNumber(quote(name)));
    if (link.many) columns.push(thousandths('"order"'));
  }
  return checksumOf(database, table, columns, ` WHERE ${quote(source)} IS NOT NULL AND ${quote(targetId)} IS NOT NULL`);
}

/** Positions are fractions while rows are moved. */
function thousandths(column: string): string {
  return `CAST(round(${column} * 1000) AS INTEGER)`;
}

/** A number of a text, by its length, its first and its last characters. */
function textNumber(column: string): string {
  const text = `coalesce(${column}, '')`;
  return `(length(${text}) * 1114112 + coalesce(unicode(substr(${text}, -3)), 0) * 131 + coalesce(unicode(substr(${text}, 6)), 0))`;
}

function checksumOf(database: Database, table: string, columns: readonly string[], where: string): TableChecksum {
  const mixed = columns.reduce(
    (product, column) =>
      `(${product} * (1 + abs(coalesce(${column}, ${noNumber}) + ${offset}) % ${smallPrime}) + 1) % ${largePrime}`,
    '1',
  );
  const statement = `SELECT count(*) AS "rows", coalesce(sum(${mixed}), 0) AS "total" FROM ${quote(table)}${where}`;
  const [row] = database.rows(statement);
  return { rows: Number(row[0]), sum: `${row[0]} ${row[1]}` };
}
