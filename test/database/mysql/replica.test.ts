/** A content follows a replica of MariaDB or MySQL, through its promotion and through a failover. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askServer } from '../../support/http.ts';
import { until } from '../../support/server.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { endProcessesAfterEach, startProcess } from '../../support/threads.ts';
import { museumAt, writeLabel } from '../servers/museum-servers.ts';
import { untilShown } from '../servers/readers.ts';
import { MysqlServer, password, user, withIds } from './mysql-server.ts';
import { restore } from './recorded.ts';

endProcessesAfterEach();

let primary: MysqlServer;
let replica: MysqlServer;
let proxy: TcpProxy;

beforeEach(async () => {
  primary = await MysqlServer.start(undefined, ...withIds);
  const own = withIds.filter((setting) => !setting.startsWith('--server-id'));
  replica = await MysqlServer.start(undefined, ...own, '--server-id=2');
  replica.replicate(primary);
  restore('museum', primary);
  await until(() => countTags() > 0);
  proxy = await TcpProxy.to(primary.port);
});

afterEach(async () => {
  await proxy?.close();
  for (const server of [replica, primary]) await server?.stop('SIGKILL');
});

/** How many tags the replica has, or how many with a label; 0 before it has the table. */
function countTags(label = '%'): number {
  try {
    return Number(replica.query(`SELECT count(*) FROM tags WHERE label LIKE '${label}'`, 'museum'));
  } catch {
    return 0;
  }
}

function write(server: MysqlServer, label: string): Promise<void> {
  return writeLabel({ run: async (sql) => server.query(sql, 'museum').split('\n') }, label);
}

/** Serves the museum as it is behind a port. */
async function follow(port: number) {
  const folder = museumAt(`mysql://${user}:${password}@127.0.0.1:${port}/museum`);
  const serving = await startProcess(folder, ['--admin-port', '0'], { public: true });
  const shows = (label: string) => untilShown(serving, label);
  const source = async () => (await askServer(serving.adminPort!, '/_ready')).json().sources[0];
  return { shows, source };
}

test('a replica is followed and named, and followed on after its promotion', async () => {
  const { shows, source } = await follow(replica.port);
  await write(primary, 'on-the-primary');
  await shows('on-the-primary');
  await until(async () => (await source()).isStandby === true);
  replica.promote();
  await write(replica, 'promoted');
  await shows('promoted');
  await until(async () => (await source()).isStandby === undefined);
});

test('a failover that loses the last commits takes them back', async () => {
  const { shows, source } = await follow(proxy.port);
  await write(primary, 'kept');
  await shows('kept');
  await until(() => countTags('kept') > 0);
  replica.endReplication();
  await write(primary, 'lost');
  await shows('lost');
  await primary.stop('SIGKILL');
  replica.promote();
  proxy.target = replica.port;
  proxy.drop();
  // no other write tells that the first tag is as before
  await shows('kept');
  expect(await source()).toMatchObject({ failuresInARow: 0 });
  await write(replica, 'after');
  await shows('after');
});
