/** Notices the commits to a MySQL or MariaDB server by what the server counts. */
import type { MysqlConnection } from './mysql-connection.ts';

/** What a look at a server finds. */
export interface Look {
  /** Differs after each commit, and for another connection. May differ without one. */
  readonly mark: string;
  /** Whether the server takes no writes but those of a primary server. */
  readonly isStandby: boolean;
}

/** Connections that were made. A server that was started again may give the ids of lost transactions to others. */
let connections = 0;

/**
 * Returns what looks at a server over a connection: at the set of global transaction ids where it keeps one, otherwise at what
 * it has counted of writes and commits, which takes six times as long. Rejects with a SnapshotError.
 */
export async function createLook(connection: MysqlConnection): Promise<() => Promise<Look>> {
  const variables = await connection.run(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('gtid_mode', 'gtid_current_pos', 'gtid_executed', 'log_bin')",
  );
  const values = new Map(variables.map(([name, value]) => [String(name), String(value)]));
  const isLogged = values.get('log_bin') === 'ON';
  const number = connections++;
  // MariaDB gives each transaction of its log an id
  const variable = values.get('gtid_mode')?.startsWith('ON') ? 'gtid_executed' : 'gtid_current_pos';
  const hasIds = isLogged && (variable === 'gtid_executed' || values.has(variable));
  const readCounters = hasIds ? null : counterReader(connection);
  return async () => {
    const [[isReadOnly, ids]] = await connection.run(
      `SELECT @@GLOBAL.read_only${hasIds ? `, @@GLOBAL.${variable}` : ''}`,
    );
    const mark = readCounters ? await readCounters() : String(ids);
    return { mark: `${number} ${mark}`, isStandby: !['0', 'OFF'].includes(String(isReadOnly)) };
  };
}

const counters = "WHERE Variable_name IN ('Handler_write', 'Handler_update', 'Handler_delete', 'Handler_commit')";

/** Reads are commits as well, so those of this connection are left out. */
function counterReader(connection: MysqlConnection): () => Promise<string> {
  let last = { all: '', mark: '' };
  return async () => {
    const rows = await connection.run(`SHOW GLOBAL STATUS ${counters}`);
    const all = rows.join();
    // those of this connection are counted among all
    if (all === last.all) return last.mark;
    const own = new Map((await connection.run(`SHOW SESSION STATUS ${counters}`)) as [string, string][]);
    last = {
      all,
      mark: rows.map(([name, count]) => BigInt(String(count)) - BigInt(own.get(String(name)) ?? 0)).join(' '),
    };
    return last.mark;
  };
}
