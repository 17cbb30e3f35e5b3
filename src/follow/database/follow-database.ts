import type { DatabaseLocation } from '../../load/database/location.ts';
import type { FollowedDatabase } from './followed-database.ts';
import { followMysql } from './mysql/follow-mysql.ts';
import { followPostgres } from './postgres/follow-postgres.ts';
import { followSqlite } from './sqlite/follow-sqlite.ts';

/**
 * Returns how a database is followed. `onWrite` is called when a look is due earlier than `untilLook` has said.
 * `longestPause` is the most milliseconds between two looks at a server.
 */
export function followDatabase(location: DatabaseLocation, onWrite: () => void, longestPause = 0): FollowedDatabase {
  if (location.client === 'sqlite') return followSqlite(location, onWrite);
  return location.client === 'postgres' ? followPostgres(location, longestPause) : followMysql(location, longestPause);
}
