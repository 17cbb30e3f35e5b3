/** Opens a SQLite database that no other process uses. */
import { messageOf, SnapshotError } from '../../../core/errors.ts';
import { type Database, type DatabaseValue, rowsPerPart } from '../database.ts';
import { type OpenDriver, openDriver } from './drivers.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/**
 * Opens a database that no other process writes to, such as a copy, read-only. `name` replaces the path in messages.
 * Throws a SnapshotError if the file is missing or no database. A statement that `all` runs is done in one turn of the
 * event loop.
 */
export async function openDatabase(path: string, name = path, open: OpenDriver = openDriver): Promise<Database> {
  const driver = await open(path).catch((error: unknown) => fail(name, error));
  let isOpen = true;
  const database: Database = {
    dialect: sqliteDialect,
    async *parts(sql, parameters = []) {
      try {
        let part: DatabaseValue[][] = [];
        for (const row of driver.iterate(sql, parameters)) {
          part.push(row);
          if (part.length < rowsPerPart) continue;
          yield part;
          if (!isOpen) throw new Error('it is closed');
          part = [];
        }
        if (part.length > 0) yield part;
      } catch (error) {
        fail(name, error);
      }
    },
    async all(sql, parameters = []) {
      try {
        return Array.from(driver.iterate(sql, parameters));
      } catch (error) {
        fail(name, error);
      }
    },
    async close() {
      isOpen = false;
      driver.close();
    },
  };
  try {
    // SQLite opens a file lazily, so this is the first read
    await database.all('SELECT count(*) AS tables FROM sqlite_schema');
    return database;
  } catch (error) {
    driver.close();
    throw error;
  }
}

function fail(name: string, error: unknown): never {
  throw new SnapshotError([`${name}: SQLite cannot read the database: ${messageOf(error)}`]);
}
