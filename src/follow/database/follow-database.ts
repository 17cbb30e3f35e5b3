import type { DatabaseLocation } from '../../load/database/location.ts';
import type { FollowedDatabase } from './followed-database.ts';
import { followSqlite } from './sqlite/follow-sqlite.ts';

/** Returns how a database is followed. `onWrite` is called when a look is due earlier than `untilLook` has said. */
export function followDatabase(location: DatabaseLocation, onWrite: () => void): FollowedDatabase {
  if (location.client === 'sqlite') return followSqlite(location, onWrite);
  // a project with another database is rejected when its files are read
  throw new Error(`${location.client} is not followed`);
}
