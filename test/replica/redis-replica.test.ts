// `lectern serve redis://HOST/DB --name site` as a process, beside a publisher.
import { afterEach, expect, test } from 'vitest';
import { openPublication } from '../../src/publication/open-publication.ts';
import { versionText } from '../../src/store/content-version.ts';
import { startRedis, type TestServer } from '../publication/redis-server.ts';
import { freePort } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { askServer } from '../support/http.ts';
import { until } from '../support/server.ts';
import { endProcessesAfterEach, spawnProcess, startProcess } from '../support/threads.ts';
import { TestPublisher } from './test-publisher.ts';

endProcessesAfterEach();

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function redis(...settings: string[]): Promise<TestServer> {
  const server = await startRedis({ settings });
  servers.push(server);
  return server;
}

function flags(): string[] {
  return ['--name', 'site', '--cache', temporaryFolder()];
}

test('a replica follows, and keeps its content while its Redis is gone', async () => {
  const server = await redis();
  const images = temporaryFolder();
  const { publication, close } = await openPublication({ to: server.url, name: 'site', images }, {}, () => {});
  const publisher = await TestPublisher.begin(publication);
  const replica = await startProcess(server.url, [...flags(), '--admin-port', '0'], { images });
  const title = async () => (await askServer(replica.port, '/api/things/one')).json().data.title;
  for (const next of ['Second', 'Third']) {
    await publisher.retitle(next);
    await until(async () => (await title()) === next);
  }
  // as of a Redis that has lost everything
  await server.client.flushAll();
  await replica.line(({ msg }) => msg.includes('nothing is published there under this name'));
  expect(await title()).toBe('Third');
  publisher.forget();
  await publisher.begin();
  const version = versionText(publisher.head);
  await until(async () => {
    const { headers } = await askServer(replica.port, '/api/things/one');
    return headers['x-lectern-version'] === version;
  });
  servers.splice(0);
  await server.stop();
  await replica.line(({ msg }) => /refuses connections|ended the connection/.test(msg));
  expect(await title()).toBe('Third');
  const { sources } = (await askServer(replica.adminPort!, '/_ready')).json();
  expect(sources).toMatchObject([{ source: server.url, error: { message: expect.stringContaining(server.url) } }]);
  await close();
});

test('a wrong password ends a start at once', async () => {
  const { url } = await redis('--requirepass', 'the password');
  const { exit, lines } = spawnProcess(url, [...flags(), '--port', '0'], { images: temporaryFolder() });
  expect(await exit).toEqual([1, null]);
  expect(lines.at(-1)!.msg).toContain(`${url} needs a password: set LECTERN_REDIS_USERNAME`);
});

test('a start waits for a Redis that is not there, and then says so', async () => {
  const url = `redis://127.0.0.1:${await freePort()}/0`;
  const settings = { images: temporaryFolder(), follow: { startSeconds: 1 } };
  const { exit, lines } = spawnProcess(url, [...flags(), '--port', '0'], settings);
  expect(await exit).toEqual([1, null]);
  expect(lines.at(-1)!.msg).toMatch(/refuses connections \(ECONNREFUSED\)\. The start waited 1 s for it/);
});

test('data of another program ends a start', async () => {
  const server = await redis();
  await server.client.set('{lectern:site}:head', 'of another program');
  const { exit, lines } = spawnProcess(server.url, [...flags(), '--port', '0'], { images: temporaryFolder() });
  expect(await exit).toEqual([1, null]);
  expect(lines.at(-1)!.msg).toContain('holds data of another program');
});
