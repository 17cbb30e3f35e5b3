/** SQLite databases through SQLite as WebAssembly. It needs neither a compiler nor an install script. */
import type { Statement } from 'node-sqlite3-wasm';
import { checkColumnNames } from './column-names.ts';
import type { DatabaseDriver, DatabaseValue } from './database-driver.ts';

/** What the types of the package leave out. Its version is exact, so the method does not disappear. */
interface NamedColumns {
  _getColumnNames(): string[];
}

/** The driver locks with a folder beside the file, which other SQLite processes do not see: for private files only. */
export async function openWithWasm(path: string): Promise<DatabaseDriver> {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const connection = new sqlite.Database(path, { readOnly: true });
  const statements = new Set<Statement>();
  return {
    *iterate(sql, parameters) {
      const statement = connection.prepare(sql);
      statements.add(statement);
      try {
        checkColumnNames((statement as unknown as NamedColumns)._getColumnNames());
        for (const row of statement.iterate([...parameters])) yield Object.values(row) as DatabaseValue[];
      } finally {
        statements.delete(statement);
        if (!statement.isFinalized) finalize(statement);
      }
    },
    close() {
      for (const statement of statements) finalize(statement);
      connection.close();
    },
  };
}

/** Releases a statement. SQLite repeats the error of its last step, which has been thrown already. */
function finalize(statement: Statement): void {
  try {
    statement.finalize();
  } catch {
    // thrown before
  }
}
