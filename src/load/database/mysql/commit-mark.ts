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
 * Returns what looks at a server over a connection: at what it has counted of writes and commits and, where it keeps them, at
 * the set of global transaction ids. Since counts take six times as long and change with reads as well, they are then read
 * only after `countPause` milliseconds, for commits without an id. Rejects with a SnapshotError.
 */
export async function createLook(connection: MysqlConnection, countPause = 300_000): Promise<() => Promise<Look>> {
  const variables = await connection.run(
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('gtid_mode', 'gtid_current_pos', 'gtid_executed', 'log_bin')",
  );
  const values = new Map(variables.map(([name, value]) => [String(name), String(value)]));
  const isLogged = values.get('log_bin') === 'ON';
  const number = connections++;
  // MariaDB gives each transaction of its log an id
  const variable = values.get('gtid_mode')?.startsWith('ON') ? 'gtid_executed' : 'gtid_current_pos';
  const hasIds = isLogged && (variable === 'gtid_executed' || values.has(variable));
  const readCounters = counterReader(connection);
  let counters = '';
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const [[isReadOnly, ids]] = await connection.run(
      `SELECT @@GLOBAL.read_only${hasIds ? `, @@GLOBAL.${variable}` : ''}`,
    );
    if (!hasIds || performance.now() - countedAt >= countPause) {
      counters = await readCounters();
      countedAt = performance.now();
    }
    return { mark: `${number} ${ids ?? ''} ${counters}`, isStandby: !['0', 'OFF'].includes(String(isReadOnly)) };
  };
}

/** Without `Handler_write`, which on MySQL a reading of the counts raises by more than the session's own count. */
const countedEvents = "WHERE Variable_name IN ('Handler_update', 'Handler_delete', 'Handler_commit')";

/** Reads are commits as well, so those of this connection are left out. */
function counterReader(connection: MysqlConnection): () => Promise<string> {
  let last = { all: '', mark: '' };
  return async () => {
    const rows = await connection.run(`SHOW GLOBAL STATUS ${countedEvents}`);
    const all = rows.join();
    // those of this connection are counted among all
    if (all === last.all) return last.mark;
    const own = new Map((await connection.run(`SHOW SESSION STATUS ${countedEvents}`)) as [string, string][]);
    last = {
      all,
      mark: rows.map(([name, count]) => BigInt(String(count)) - BigInt(own.get(String(name)) ?? 0)).join(' '),
    };
    return last.mark;
  };
}
