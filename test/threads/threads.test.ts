// `lectern serve --threads 2`: two threads answer on one port. Before Node 22.12, one thread answers, with a warning.
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { moduleFile, removeModulesAfterAll } from '../extend/module.ts';
import { writeArchive } from '../media/exports.ts';
import { freePort } from '../support/cli.ts';
import { everyUrl } from '../support/every-url.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder, sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples } from '../support/server.ts';
import { connectionsByThread, endProcessesAfterEach, spawnProcess, startProcess } from '../support/threads.ts';

endProcessesAfterEach();
removeModulesAfterAll();

const two = ['--threads', '2'];
const logged = { log: { format: 'json', requests: true } };

const statusOf = async (port: number, path: string) => (await askServer(port, path)).status;
const metricsOf = async (port: number) => samples((await askServer(port, '/_metrics')).body.toString());

test('--threads 0 is a usage error', async () => {
  const { line, exit } = spawnProcess(guideFolder, ['--threads=0']);
  const { msg } = await line((logged) => logged.msg.includes('--threads'));
  expect(msg).toMatch(/'--threads <number\|auto>' argument '0' is invalid. It must be a whole number from 1 to 256/);
  expect((await exit)[0]).toBe(2);
});

test('more than four threads for each processor are an error', async () => {
  const { line, exit } = spawnProcess(guideFolder, ['--threads', '256']);
  const { msg } = await line(({ level }) => level === 60);
  expect(msg).toMatch(/^flags: threads: must be at most \d+, 4 for each of \d+ processors?, is 256$/);
  expect((await exit)[0]).toBe(2);
});

function testOneThread(): void {
  test('one thread answers, and a warning says why', async () => {
    const { port, lines } = await startProcess(guideFolder, two);
    const [warning] = lines.filter(({ level }) => level === 40);
    expect(warning.msg).toMatch(/^threads is 2, but this process serves with one thread: .* this is \d+\.\d+\.\d+$/);
    expect(await statusOf(port, '/api/restaurants')).toBe(200);
    expect((await metricsOf(port)).has('lectern_threads')).toBe(false);
  });
}

function testThreads(): void {
  test.each(['document', 'strapi'] as const)('give equal replies and ETags in the dialect %s', async (dialect) => {
    const server = await startProcess(guideFolder, [...two, '--dialect', dialect], logged);
    const [first, second] = (await connectionsByThread(server, 2)).values();
    const { store } = await loadSnapshot(guideFolder, { dialect });
    const urls = everyUrl(store).slice(0, 200);
    expect(urls.length).toBe(200);
    const replies = async (ask: typeof first) => {
      const answers = [];
      // from the second request on, replies come from the cache
      for (const url of [...urls, ...urls]) {
        const { status, headers, body } = await ask(url, { headers: { 'Accept-Encoding': 'gzip' } });
        const { date, ...others } = headers;
        answers.push([url, status, others, body.toString('latin1')]);
      }
      return answers;
    };
    expect(await replies(first)).toEqual(await replies(second));
  });

  test('add up their metrics, log in whole lines, and are ready together', async () => {
    const server = await startProcess(guideFolder, [...two, '--admin-port', '0'], logged);
    const { port, adminPort, lines } = server;
    await Promise.all(Array.from({ length: 300 }, () => askServer(port, '/api/restaurants?sort=id')));
    expect(await statusOf(adminPort!, '/_ready')).toBe(200);
    expect(await statusOf(port, '/_ready')).toBe(404);
    const found = await metricsOf(adminPort!);
    expect(found.get('lectern_http_replies_total{status="200"}')).toBe(300);
    expect(found.get('lectern_threads')).toBe(2);
    expect(found.get('lectern_ready')).toBe(1);
    const { entries } = await server.line(({ msg }) => msg === 'serving');
    expect(found.get('lectern_entries')).toBe(entries);
    const requests = () => lines.filter(({ msg, path }) => msg === 'request' && path === '/api/restaurants');
    await server.line(() => requests().length === 300);
    expect(new Set(requests().map(({ thread }) => thread))).toEqual(new Set([1, 2]));
  });

  test('serve readiness and metrics on the main port without an admin port', async () => {
    const { port } = await startProcess(guideFolder, two);
    await Promise.all(Array.from({ length: 20 }, () => askServer(port, '/api/restaurants')));
    expect((await askServer(port, '/_ready')).json()).toEqual({ ready: true });
    const counts = await Promise.all(Array.from({ length: 8 }, () => metricsOf(port)));
    const name = 'lectern_http_request_duration_seconds_count{route="/api/restaurants",status="200"}';
    expect(counts.map((found) => found.get(name))).toEqual(counts.map(() => 20));
  });

  test('serve new content together after a reload', async () => {
    const source = temporaryFolder();
    const write = (title: string) => {
      const snapshot = thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
      writeFileSync(join(source, 'things.json'), JSON.stringify(snapshot));
    };
    write('Before');
    const tokens = [{ name: 'deploy', sha256: sha256('secret'), rights: ['reload'] }];
    const settings = { ...logged, admin: { tokens } };
    const server = await startProcess(join(source, 'things.json'), [...two, '--admin-port', '0'], settings);
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const titles = () => Promise.all(asks.map(async (ask) => (await ask('/api/things/one')).json().data.title));
    const reload = async () => {
      const options = { method: 'POST', headers: { Authorization: 'Bearer secret' } };
      return (await askServer(server.adminPort!, '/_reload', options)).status;
    };
    expect(await titles()).toEqual(['Before', 'Before']);
    for (const title of ['After', 'Later']) {
      write(title);
      expect(await reload()).toBe(200);
      expect(await titles()).toEqual([title, title]);
    }
    expect(await reload()).toBe(200);
    writeFileSync(join(source, 'things.json'), '{');
    expect(await reload()).toBeGreaterThanOrEqual(400);
    expect(await titles()).toEqual(['Later', 'Later']);
    const readiness = (await askServer(server.adminPort!, '/_ready')).json();
    expect(readiness).toMatchObject({ ready: true, reload: { error: expect.stringContaining('things.json') } });
    const found = await metricsOf(server.adminPort!);
    expect(found.get('lectern_reloads_total{result="replaced"}')).toBe(2);
    expect(found.get('lectern_reloads_total{result="unchanged"}')).toBe(1);
  });

  test('free the memory of content that was replaced', async () => {
    const file = join(temporaryFolder(), 'things.json');
    const write = (number: number) => {
      const entries = Array.from({ length: 10 }, (_, i) => ({
        documentId: `${i}`,
        title: `${String(number).padStart(2)} `.repeat(2 ** 19),
      }));
      writeFileSync(file, JSON.stringify(thingSnapshot({ title: { type: 'text' } }, entries)));
    };
    write(0);
    const { child, lines, line, port } = await startProcess(file, two, { ...logged, earlierBytes: 0 });
    const resident = async () => (await metricsOf(port)).get('process_resident_memory_bytes')! / 2 ** 20;
    const sizes: number[] = [];
    for (let i = 1; i <= 16; i++) {
      write(i);
      const replaced = () => lines.filter(({ msg }) => msg === 'new content is served').length;
      child.kill('SIGHUP');
      await line(() => replaced() === i);
      sizes.push(await resident());
    }
    // a store takes 31 MB: eight more would take 250. The first swaps grow the heaps of the threads
    const growth = Math.min(...sizes.slice(-4)) - Math.min(...sizes.slice(4, 8));
    expect(growth, sizes.map(Math.round).join(' ')).toBeLessThan(125);
  });

  test('serve uploaded files that are unpacked once', async () => {
    const cat = { url: '/uploads/cat_0123456789.png', hash: 'cat_0123456789', ext: '.png' };
    const archive = await writeArchive({ files: [cat], assets: { 'cat_0123456789.png': 'a cat' } });
    const cache = temporaryFolder();
    const server = await startProcess(archive, [...two, '--cache', cache], logged);
    for (const ask of (await connectionsByThread(server, 2)).values()) {
      const { status, body } = await ask(cat.url);
      expect([status, body.toString()]).toEqual([200, 'a cat']);
      expect((await ask('/uploads/dog_0123456789.png')).status).toBe(404);
    }
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test('share the rate limit', async () => {
    const { port } = await startProcess(guideFolder, two, { rateLimit: { requests: 10, seconds: 600 } });
    const all = Array.from({ length: 60 }, () => statusOf(port, '/api/restaurants'));
    const counts = new Map<number, number>();
    for (const status of await Promise.all(all)) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts).toEqual(
      new Map([
        [200, 10],
        [429, 50],
      ]),
    );
    expect((await metricsOf(port)).get('lectern_rate_limit_addresses')).toBe(1);
  });

  test('go on when one of them ends, which is replaced and counted', async () => {
    const extension = moduleFile(`export default { customRoutes: [{
      path: '/end',
      handler: () => { setTimeout(() => { throw new Error('not caught'); }, 10); return { data: 'ends' }; },
    }] };`);
    const server = await startProcess(guideFolder, [...two, '--extend', extension, '--admin-port', '0'], logged);
    const [ending, other] = (await connectionsByThread(server, 2)).values();
    const before = await metricsOf(server.adminPort!);
    expect((await ending('/api/end')).status).toBe(200);
    const line = await server.line(({ msg }) => msg === 'a thread ended unexpectedly and is replaced');
    expect(line).toMatchObject({ level: 50, err: { message: 'not caught' }, milliseconds: 100 });
    expect((await other('/api/restaurants')).status).toBe(200);
    const answered = await server.line(({ path }) => path === '/api/restaurants');
    expect(answered.thread).not.toBe(line.thread);
    // listens again, with the content
    const again = await connectionsByThread(server, 2);
    expect((await again.get(line.thread)!('/api/restaurants')).status).toBe(200);
    const after = await metricsOf(server.adminPort!);
    expect(after.get('lectern_threads_restarted_total')).toBe(1);
    expect(after.get('lectern_threads')).toBe(2);
    const replies = 'lectern_http_replies_total{status="404"}';
    expect(after.get(replies)).toBeGreaterThanOrEqual(before.get(replies)!);
    server.child.kill();
    expect(await server.exit).toEqual([0, null]);
  });

  test('stop after a time in which they are not ready', async () => {
    const { port, child, exit } = await startProcess(guideFolder, two, { timeouts: { drain: 1500 } });
    const agent = new Agent({ keepAlive: true });
    await askServer(port, '/api/restaurants', { agent });
    child.kill();
    while ((await statusOf(port, '/_ready')) !== 503);
    expect((await askServer(port, '/_ready')).json().error.message).toBe('The server is stopping');
    expect(await Promise.all(Array.from({ length: 10 }, () => statusOf(port, '/api/restaurants')))).toEqual(
      Array(10).fill(200),
    );
    expect((await askServer(port, '/api/restaurants', { agent })).status).toBe(200);
    expect(await exit).toEqual([0, null]);
    await expect(askServer(port, '/_health')).rejects.toThrow('ECONNREFUSED');
  });

  test('end at once at a second signal', async () => {
    const { port, child, exit } = await startProcess(guideFolder, two, { timeouts: { stop: 60_000 } });
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET /api/restaurants HTTP/1.1\r\n');
    await askServer(port, '/_health');
    child.kill();
    while ((await statusOf(port, '/_health').catch(() => 0)) !== 0);
    child.kill();
    expect(await exit).toEqual([0, null]);
  });

  test('do not share their port with another process', async () => {
    const { port } = await startProcess(guideFolder, two);
    const second = spawnProcess(guideFolder, ['--port', String(port), ...two]);
    const { msg } = await second.line(({ level }) => level === 60);
    expect(msg).toBe(`port ${port} of 127.0.0.1 is in use: choose another with --port`);
    expect((await second.exit)[0]).toBe(1);
  });

  test('end with an error where the content does not load', async () => {
    const port = await freePort();
    const { line, exit } = spawnProcess('/nowhere', ['--port', String(port), ...two]);
    expect((await line(({ level }) => level === 60)).msg).toContain('/nowhere: cannot be read');
    expect((await exit)[0]).toBe(1);
  });
}

if (canShareMemory) describe('two threads', testThreads);
else describe('before Node 22.12', testOneThread);
