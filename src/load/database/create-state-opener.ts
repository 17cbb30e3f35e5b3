import type { StateOpener } from './database-state.ts';
import type { DatabaseLocation } from './location.ts';
import { PostgresStates } from './postgres/postgres-states.ts';
import { SqliteStates } from './sqlite/sqlite-states.ts';

/** Returns what opens states of a database. Nothing is opened yet. */
export function createStateOpener(location: DatabaseLocation): StateOpener {
  if (location.client === 'sqlite') return new SqliteStates(location.file);
  if (location.client === 'postgres') return PostgresStates.at(location);
  // a project with another database is rejected when its files are read
  throw new Error(`no opener for ${location.client}`);
}
