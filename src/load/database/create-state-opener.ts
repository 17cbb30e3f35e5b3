import type { StateOpener } from './database-state.ts';
import type { DatabaseLocation } from './location.ts';
import { MysqlStates } from './mysql/mysql-states.ts';
import { PostgresStates } from './postgres/postgres-states.ts';
import { SqliteStates } from './sqlite/sqlite-states.ts';

/** Returns what opens states of a database. Nothing is opened yet. */
export function createStateOpener(location: DatabaseLocation): StateOpener {
  if (location.client === 'sqlite') return new SqliteStates(location.file);
  return location.client === 'postgres' ? PostgresStates.at(location) : new MysqlStates(location);
}
