/** Content without the tables that the user of the database may not read. */
import { type Problems, type SnapshotWarning, warning } from '../../core/problems.ts';
import { userType } from '../../model/schema/schema.ts';
import type { Database } from './database.ts';
import { withheldProblem } from './stored-types.ts';
import { type TableMapping, tableNames } from './table-mapping.ts';

/** The tables of API tokens. */
const tokenTables = [
  'strapi_api_tokens',
  'strapi_api_token_permissions',
  'strapi_api_token_permissions_token_lnk',
] as const;

/** Returns those of the tables, and of the tables of API tokens, that the user of the database may not read. */
export async function readWithheld(database: Database, tables: readonly string[] = []): Promise<ReadonlySet<string>> {
  return (await database.dialect.withheldTables?.(database, [...tables, ...tokenTables])) ?? new Set();
}

export function areTokensWithheld(withheld: ReadonlySet<string>): boolean {
  return tokenTables.some((table) => withheld.has(table));
}

/**
 * Leaves users out of a mapping if one of their tables may not be read, and warns of what is lost by that. Reports other tables
 * that may not be read.
 */
export function withoutWithheld(
  mapping: TableMapping,
  withheld: ReadonlySet<string>,
  location: string,
  problems: Problems,
): { mapping: TableMapping; warnings: SnapshotWarning[] } {
  const warnings: SnapshotWarning[] = [];
  const warn = (tables: Iterable<string>, loss: string) =>
    warnings.push(warning('withheld-table', `${location}: may not read ${[...tables].join(', ')}, so ${loss}`));
  if (areTokensWithheld(withheld)) {
    warn(
      tokenTables.filter((table) => withheld.has(table)),
      'API tokens are rejected',
    );
  }
  const ofUsers = new Set([
    ...Array.from(mapping.types.values(), ({ uid, table }) => (uid === userType ? table : '')),
    ...mapping.links.map(({ uid, table }) => (uid === userType ? table : '')),
  ]);
  const withheldOfUsers = [...ofUsers].filter((table) => withheld.has(table));
  const served = withheldOfUsers.length > 0 ? withoutUsers(mapping) : mapping;
  if (served !== mapping) warn(withheldOfUsers, 'JWTs are rejected, and relations to users are empty');
  for (const table of tableNames(served)) {
    if (withheld.has(table)) problems.add(location, withheldProblem(table));
  }
  return { mapping: served, warnings };
}

/** Returns a mapping without the tables of users and of the links from and to them. */
export function withoutUsers({ types, links }: TableMapping): TableMapping {
  const others = new Map([...types].filter(([uid]) => uid !== userType));
  const kept = links.filter((link) => link.uid !== userType && !(link.kind === 'relation' && link.target === userType));
  return { types: others, links: kept };
}
