/** A content follows a replica of MariaDB or MySQL, also through its promotion. */
import { afterAll, beforeAll, test } from 'vitest';
import { askServer } from '../../support/http.ts';
import { until } from '../../support/server.ts';
import { endProcessesAfterEach, startProcess } from '../../support/threads.ts';
import { isMysql, MysqlServer, password, user, withIds } from './mysql-server.ts';
import { projectAt, restore } from './recorded.ts';

endProcessesAfterEach();

let primary: MysqlServer;
let replica: MysqlServer;

beforeAll(async () => {
  primary = await MysqlServer.start(undefined, ...withIds);
  const own = withIds.filter((setting) => !setting.startsWith('--server-id'));
  replica = await MysqlServer.start(undefined, ...own, '--server-id=2');
  replicate(primary.port);
  restore('museum', primary);
  await until(async () => countTags() > 0);
});

afterAll(async () => {
  for (const server of [replica, primary]) await server?.stop('SIGKILL');
});

/** Lets the replica take over what is committed on another server. */
function replicate(port: number): void {
  const source = { HOST: `'127.0.0.1'`, PORT: port, USER: `'${user}'`, PASSWORD: `'${password}'` };
  const options = (prefix: string) => Object.entries(source).map(([name, value]) => `${prefix}_${name} = ${value}`);
  replica.query(
    isMysql
      ? `CHANGE REPLICATION SOURCE TO ${options('SOURCE')}, SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1; START REPLICA`
      : `CHANGE MASTER TO ${options('MASTER')}, MASTER_USE_GTID = slave_pos; START SLAVE`,
  );
  replica.query('SET GLOBAL read_only = 1');
}

/** How many tags the replica has; 0 before it has the table. */
function countTags(): number {
  try {
    return Number(replica.query('SELECT count(*) FROM tags', 'museum'));
  } catch {
    return 0;
  }
}

function write(server: MysqlServer, label: string): void {
  const first = '(SELECT id FROM (SELECT min(id) AS id FROM tags WHERE published_at IS NOT NULL) AS first)';
  server.query(`UPDATE tags SET label = '${label}', updated_at = now(3) WHERE id = ${first}`, 'museum');
}

test('a replica is followed and named, and followed on after its promotion', async () => {
  const { port, adminPort } = await startProcess(projectAt('museum', replica), ['--admin-port', '0'], { public: true });
  const shows = (label: string) =>
    until(async () => (await askServer(port, `/api/tags?filters[label]=${label}`)).body.includes(`"${label}"`));
  const isStandby = async () => (await askServer(adminPort!, '/_ready')).json().sources[0].isStandby;
  write(primary, 'on-the-primary');
  await shows('on-the-primary');
  await until(async () => (await isStandby()) === true);
  replica.query(isMysql ? 'STOP REPLICA' : 'STOP SLAVE');
  replica.query('SET GLOBAL read_only = 0');
  write(replica, 'promoted');
  await shows('promoted');
  await until(async () => (await isStandby()) === undefined);
});
