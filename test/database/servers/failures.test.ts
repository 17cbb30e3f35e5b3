/** `lectern serve` of a project on a server: the content follows, whatever happens to the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { askServer } from '../../support/http.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { endProcessesAfterEach, startProcess } from '../../support/threads.ts';
import {
  changeEnvironment,
  type MuseumServer,
  museumAt,
  museumServers,
  tablesOf,
  writeLabel,
} from './museum-servers.ts';
import { Readers, untilShown } from './readers.ts';

endProcessesAfterEach();

const settings = { public: true, log: { requests: false, format: 'json', level: 'debug' } };
const user = 'reader';
const passwords = ['first-Pa55word', 'second-Pa55word'];

describe.each(museumServers)('%s', (_, start) => {
  let server: MuseumServer;
  let proxy: TcpProxy;

  beforeAll(async () => {
    server = await start();
    await server.addReader(user, passwords[0], await tablesOf(server));
    proxy = await TcpProxy.to(server.port);
  });

  afterEach(() => proxy.mend());

  afterAll(async () => {
    await proxy?.close();
    await server?.stop();
  });

  test('no failure of the server fails a read or loses a change, and no password is told', async () => {
    const folder = museumAt(server.urlOf({ user, password: passwords[0], port: proxy.port }));
    const serving = await startProcess(folder, ['--admin-port', '0'], settings);
    const readers = new Readers(serving);
    await writeLabel(server, 'begin');
    await untilShown(serving, 'begin');
    const newPassword = async () => {
      await server.setPassword(user, passwords[1]);
      proxy.drop();
      await sleep(1500);
      changeEnvironment(folder, passwords[0], passwords[1]);
    };
    const failures: Record<string, () => Promise<void>> = {
      'sessions are terminated': async () => {
        for (let n = 0; n < 5; n++) {
          await server.endSessions(user);
          await sleep(300);
        }
      },
      'the server is restarted': async () => {
        await server.stop();
        await server.start();
      },
      'the server is killed': async () => {
        await server.stop(true);
        await sleep(500);
        await server.start();
      },
      'the network is cut': async () => {
        proxy.cut();
        await writeLabel(server, 'during');
        await sleep(8000);
        proxy.mend();
      },
      'the network is slow': async () => {
        proxy.delay = 100;
        await writeLabel(server, 'slowly');
        await untilShown(serving, 'slowly');
        proxy.delay = 0;
      },
      'connections are dropped': async () => proxy.drop(),
      'the password is changed': newPassword,
    };
    const lags: Record<string, number[]> = {};
    for (const [name, fail] of Object.entries(failures)) {
      await fail();
      const label = name.replaceAll(' ', '-');
      await writeLabel(server, label);
      const mended = await untilShown(serving, label);
      await writeLabel(server, `${label}-2`);
      lags[name] = [mended, await untilShown(serving, `${label}-2`)];
    }
    await readers.end();
    expect(readers.reads).toBeGreaterThan(100);
    expect(readers.failures).toBe(0);
    for (const [name, [mended, after]] of Object.entries(lags)) {
      expect(mended, name).toBeLessThan(10_000);
      // a look notices it; the next comparison of everything would come after a minute
      expect(after, name).toBeLessThan(10_000);
    }
    const metrics = String((await askServer(serving.adminPort!, '/_metrics')).body);
    const ready = String((await askServer(serving.adminPort!, '/_ready')).body);
    const told = [JSON.stringify(serving.lines), metrics, ready, serving.child.spawnargs.join(' ')].join('\n');
    for (const password of passwords) expect(told).not.toContain(password);
    expect(told).toContain(`${server.client}://127.0.0.1`);
  });
});
