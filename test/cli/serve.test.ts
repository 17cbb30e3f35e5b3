import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { jwtOf } from '../support/jwt.ts';
import { endProcessesAfterEach, spawnProcess } from '../support/threads.ts';
import { CommandLine } from './command-line.ts';

endProcessesAfterEach();
const lectern = new CommandLine();
const snapshot = lectern.writeSnapshot('good', 'ada');
const dangling = lectern.writeSnapshot('dangling', 'nobody');

describe('lectern serve', () => {
  afterEach(() => lectern.killAll());

  test('prints content and dialect, answers, and exits with 0 on SIGTERM', async () => {
    const { child, exit, printed, url } = await lectern.serve(snapshot, ['--port', '0']);
    expect(printed.stdout).toMatch(
      /^Lectern serves 4 entries of \d+ content types \(document dialect\) at http:\/\/127\.0\.0\.1:\d+\/ - loaded in [\d.]+ s\n/,
    );
    expect(printed.stdout).toContain(`${url}#dialect shows how the two dialects differ\n`);
    expect(await (await fetch(url)).text()).toContain('<h2 id="dialect">');
    const answer = await fetch(`${url}api/notes?sort=title:desc&fields=title`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ data: [{ title: 'Second' }, { title: 'First' }] });
    expect((await fetch(url)).headers.get('content-type')).toMatch('text/html');

    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(printed.stdout.split('\n')).toHaveLength(3);
    expect(printed.stderr).toBe('');
  });

  test('exits with 0 on SIGTERM while a source is read for the first time', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    const reached = once(silent, 'connection');
    await once(silent, 'listening');
    const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { child, exit, lines } = spawnProcess(address, ['--port', '0', '--follow']);
    const [socket] = await reached;
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(lines).toEqual([]);
    socket.destroy();
    silent.close();
  });

  test('finishes a request under way on SIGINT and accepts no new one', async () => {
    const { child, exit, port } = await lectern.serve(snapshot, ['--port', '0']);
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data));
    socket.write('GET /api/notes HTTP/1.1\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect(fetch(`http://127.0.0.1:${port}/api/notes`)).rejects.toThrow();
    socket.write('Host: localhost\r\n\r\n');
    expect(await exit).toEqual([0, null]);
    expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('is alive but not ready while it loads, and exits with 1 if the snapshot cannot be served', async () => {
    // loading waits for the extension, which waits for a file
    const sign = join(lectern.folder, 'go-on');
    const extension = join(lectern.folder, 'lectern-extend-slow.mjs');
    writeFileSync(
      extension,
      `import { existsSync } from 'node:fs';
      while (!existsSync(${JSON.stringify(sign)})) await new Promise((resolve) => setTimeout(resolve, 20));
      export default {};`,
    );
    const port = await freePort();
    const args = ['serve', dangling, '--port', String(port), '--extend', extension];
    const { child, exit, printed } = lectern.spawn(args);
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.status;
    while ((await status('/_health')) !== 204) {
      // another process may have taken the port
      if (child.exitCode !== null) throw new Error(`serve ended: ${printed.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(await status('/_ready')).toBe(503);
    expect(await status('/api/notes')).toBe(503);
    writeFileSync(sign, '');
    expect(await exit).toEqual([1, null]);
    expect(printed.stdout).toBe('');
    expect(printed.stderr).toMatch(/1 problem[\s\S]*nobody/);
  });

  test('exits with 0 on SIGTERM while content loads', async () => {
    const sign = join(lectern.folder, 'loaded');
    const extension = join(lectern.folder, 'lectern-extend-held.mjs');
    writeFileSync(
      extension,
      `import { existsSync } from 'node:fs';
      while (!existsSync(${JSON.stringify(sign)})) await new Promise((resolve) => setTimeout(resolve, 20));
      export default {};`,
    );
    const port = await freePort();
    const args = ['serve', snapshot, '--port', String(port), '--extend', extension];
    const { child, exit, printed } = lectern.spawn(args);
    const isListening = () =>
      new Promise<boolean>((resolve) => {
        const probe = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
        probe.once('connect', () => probe.destroy());
      });
    while (!(await isListening())) {
      // another process may have taken the port
      if (child.exitCode !== null) throw new Error(`serve ended: ${printed.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // a request under way keeps the server from ending before the content is loaded
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /api/notes HTTP/1.1\r\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
    child.kill('SIGTERM');
    while (await isListening()) await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(sign, '');
    // as long as loading takes
    await new Promise((resolve) => setTimeout(resolve, 1000));
    socket.destroy();
    expect(await exit).toEqual([0, null]);
    expect(printed).toEqual({ stdout: '', stderr: '' });
  });

  test('has an admin port and a request log if configured', async () => {
    const config = lectern.write('log.json', { log: { requests: true, level: 'error', slowMilliseconds: 60_000 } });
    const args = ['--port', String(await freePort()), '--admin-port', '0', '--config', config, '--log-level', 'debug'];
    const { child, exit, printed, url } = await lectern.serve(snapshot, args);
    while (!printed.stdout.includes('admin')) await once(child.stdout, 'data');
    const admin = /admin port is (\S+)\n/.exec(printed.stdout)![1];
    expect((await fetch(`${admin}_ready`)).status).toBe(200);
    expect((await fetch(`${url}_ready`)).status).toBe(404);
    expect((await fetch(`${url}api/notes`)).status).toBe(200);
    expect((await lectern.run(['health', '--process', String(child.pid)], { PORT: '1' })).code).toBe(0);
    child.kill('SIGHUP');
    while (!printed.stderr.includes('SIGHUP')) await once(child.stderr, 'data');
    expect((await fetch(`${url}api/notes`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const lines = printed.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const unchanged = 'the content has not changed';
    const messages = ['request', 'request', 'request', 'request', unchanged, 'request', 'stopping', 'stopped'];
    expect(lines.map(({ msg }) => msg)).toEqual(messages);
    expect(lines[2]).toMatchObject({ path: '/api/notes', status: 200, level: 30 });
  });

  test('reports a port or an admin port that is in use, and one port for both, in one sentence', async () => {
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    const { port } = occupied.address() as AddressInfo;
    for (const [flag, ...others] of [['--port'], ['--admin-port', '--port', '0']]) {
      const { code, stdout, stderr } = await lectern.run(['serve', snapshot, flag, String(port), ...others]);
      expect([code, stdout]).toEqual([1, '']);
      const sentence = `port ${port} of 127.0.0.1 is in use: choose another with ${flag}`;
      expect(stderr).toBe(`lectern: ${sentence}\n`);
    }
    occupied.close();
    const same = await lectern.run(['serve', snapshot, '--port', String(port), '--admin-port', String(port)]);
    expect([same.code, same.stdout]).toEqual([2, '']);
    expect(same.stderr).toBe(`lectern: flags: adminPort: must differ from port, is ${port}\n`);
  });

  test('says in text why it does not start, or in JSON if the settings ask for it', async () => {
    const config = lectern.write('json-log.json', { log: { format: 'json', level: 'silent' } });
    const failing = [
      [['serve', dangling, '--port', '0'], /^lectern: [\s\S]*nobody/],
      [['serve', snapshot, '--prot', '1'], /^lectern: unknown option '--prot'/],
      [['serve', snapshot, '--config', lectern.write('unknown.json', { prot: 1 })], /^lectern: .*unknown\.json: /],
    ] as const;
    for (const [args, expected] of failing) {
      const text = await lectern.run([...args], { LECTERN_LOG_LEVEL: 'silent' });
      expect(text.code).toBeGreaterThan(0);
      expect(text.stderr).toMatch(expected);
      const defaults = JSON.stringify({ log: { format: 'json' } });
      for (const [name, value] of [
        ['LECTERN_LOG_FORMAT', 'json'],
        ['LECTERN_DEFAULTS', defaults],
      ]) {
        const { stderr } = await lectern.run([...args], { [name]: value });
        for (const line of stderr.trim().split('\n')) expect(JSON.parse(line).level).toBe(60);
      }
    }
    const { stderr } = await lectern.run(['serve', dangling, '--port', '0', '--config', config]);
    expect(JSON.parse(stderr).level).toBe(60);
  });

  test('names the three things that an empty folder could be', async () => {
    const { code, stderr } = await lectern.run(['serve', temporaryFolder(), '--port', '0']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /nothing to serve.*Strapi project.*package\.json.*export.*schemas.*JSON snapshot.*lectern init/,
    );
  });

  test('writes its log as JSON', async () => {
    const args = ['serve', dangling, '--lenient', '--port', '0'];
    const { child, printed } = lectern.spawn(args, { LECTERN_LOG_FORMAT: 'json' });
    while (!printed.stderr.includes('"serving"')) await once(child.stderr, 'data');
    const lines = printed.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ level }) => level)).toEqual([40, 30]);
    expect(lines[1]).toMatchObject({ address: expect.stringMatching(/^http:/), entries: 4, dialect: 'document' });
    expect(printed.stdout).toBe('');
  });

  test('gives flags precedence over the environment, and the environment over the file', async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    const config = lectern.write('port.json', {
      port: ports[0],
      adminPort: ports[0],
      dialect: 'strapi',
      prefix: '/content',
    });
    const environment = { PORT: String(ports[0]), ADMIN_PORT: String(ports[1]), HOST: '' };
    const flags = ['--port', String(ports[2]), '--dialect', 'document'];
    const { child, printed, port, url } = await lectern.serve(snapshot, ['--config', config, ...flags], environment);
    while (!printed.stdout.includes('admin')) await once(child.stdout, 'data');
    expect(port).toBe(ports[2]);
    expect(printed.stdout).toContain(`admin port is http://127.0.0.1:${ports[1]}/`);
    expect(printed.stdout).toContain('(document dialect)');
    expect((await fetch(`${url}content/notes`)).status).toBe(200);
    expect((await fetch(`${url}api/notes`)).status).toBe(404);
  });

  test('reads port, tokens and roles from the file and the JWT secret from the environment', async () => {
    const port = await freePort();
    const config = lectern.write('access.json', {
      port,
      tokens: [{ name: 'writers', sha256: sha256('letmein'), type: 'read-only' }],
      roles: [{ type: 'public', permissions: [] }],
      jwtSecret: 'another secret',
    });
    const secret = 'the secret in the environment';
    const { url, port: chosen } = await lectern.serve(snapshot, ['--config', config], { JWT_SECRET: secret });
    expect(chosen).toBe(port);
    const jwt = jwtOf(1, { secret });
    const status = async (path: string, token?: string) =>
      (await fetch(url + path, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
    expect(await status('api/notes')).toBe(403);
    expect(await status('api/notes', 'letmein')).toBe(200);
    expect(await status('api/notes', sha256('letmein'))).toBe(401);
    expect(await status('api/writers', jwt)).toBe(200);
    expect(await status('api/users', jwt)).toBe(403);
  });
});
