/** Notices the commits to a MySQL or MariaDB server by what the server counts. */
import type { MysqlConnection } from './mysql-connection.ts';

/** Returns a text that differs after each commit, and may differ without one. */
type ReadMark = () => Promise<string>;

/**
 * Returns what reads marks over a connection: the set of global transaction ids where the server keeps one, which takes
 * 0.1 ms, otherwise what it has counted of writes and commits, 0.3 ms. Rejects with a SnapshotError.
 */
export async function markReader(connection: MysqlConnection): Promise<ReadMark> {
  const variables = await connection.run(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('gtid_mode', 'gtid_current_pos', 'gtid_executed', 'log_bin')",
  );
  const values = new Map(variables.map(([name, value]) => [String(name), String(value)]));
  const isLogged = values.get('log_bin') === 'ON';
  if (isLogged && values.get('gtid_mode')?.startsWith('ON'))
    return variableReader(connection, '@@GLOBAL.gtid_executed');
  // MariaDB gives each transaction of its log an id
  if (isLogged && values.has('gtid_current_pos')) return variableReader(connection, '@@GLOBAL.gtid_current_pos');
  return () => countedMark(connection);
}

function variableReader(connection: MysqlConnection, variable: string): ReadMark {
  return async () => String((await connection.run(`SELECT ${variable}`))[0][0]);
}

const counters = "WHERE Variable_name IN ('Handler_write', 'Handler_update', 'Handler_delete', 'Handler_commit')";

/** Reads are commits as well, so those of this connection are left out. */
async function countedMark(connection: MysqlConnection): Promise<string> {
  const own = new Map((await connection.run(`SHOW SESSION STATUS ${counters}`)).map(([name, count]) => [name, count]));
  const all = await connection.run(`SHOW GLOBAL STATUS ${counters}`);
  return all.map(([name, count]) => BigInt(String(count)) - BigInt(String(own.get(name) ?? 0))).join(' ');
}
