import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { cli, freePort } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { jwtOf } from '../support/jwt.ts';

const folder = temporaryFolder();

const running: ChildProcess[] = [];
function killAll(): void {
  for (const child of running.splice(0)) child.kill('SIGKILL');
}
afterAll(killAll);

function write(path: string, value: unknown): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const findNotes = 'api::note.note.find';

function writeSnapshot(name: string, author: string): string {
  write(`${name}/content-types/note.json`, {
    info: { singularName: 'note', pluralName: 'notes' },
    attributes: {
      title: { type: 'string' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer' },
    },
  });
  write(`${name}/content-types/writer.json`, {
    info: { singularName: 'writer', pluralName: 'writers' },
    attributes: { name: { type: 'string' } },
  });
  write(`${name}/entries/note.json`, [
    { documentId: 'one', title: 'First', author },
    { documentId: 'two', title: 'Second' },
  ]);
  write(`${name}/entries/writer.json`, [{ documentId: 'ada', name: 'Ada' }]);
  write(`${name}/entries/user.json`, [
    { documentId: 'u', username: 'u', email: 'u@example.org', role: 'authenticated' },
  ]);
  write(`${name}/roles.json`, [
    { type: 'public', permissions: [findNotes] },
    { type: 'authenticated', permissions: [findNotes, 'api::writer.writer.find'] },
  ]);
  return join(folder, name);
}

const snapshot = writeSnapshot('good', 'ada');
const dangling = writeSnapshot('dangling', 'nobody');

/** The environment of this process without what the command line reads. */
function environment(added: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PORT, HOST, JWT_SECRET, ADMIN_PORT, LOG_LEVEL, ...rest } = process.env;
  const others = Object.entries(rest).filter(([name]) => !name.startsWith('LECTERN_'));
  return { ...Object.fromEntries(others), ...added };
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: string[], added: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { env: environment(added) }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    running.push(child);
  });
}

/** Starts a server and waits until it has printed its address. */
async function start(args: string[], added: Record<string, string> = {}, served = snapshot) {
  const child = spawn(process.execPath, [cli, 'serve', served, ...args], { env: environment(added) });
  running.push(child);
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (printed.stdout += data));
  child.stderr.on('data', (data) => (printed.stderr += data));
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  while (!printed.stdout.includes('dialects differ\n')) {
    const ended = await Promise.race([once(child.stdout, 'data'), exit.then(() => 'ended')]);
    if (ended === 'ended') throw new Error(`serve ended: ${printed.stderr}`);
  }
  const url = /http:\/\/\S+/.exec(printed.stdout)![0];
  return { child, exit, printed, url, port: Number(new URL(url).port) };
}

// commands that end by themselves run concurrently
describe.concurrent('lectern', () => {
  test('prints its version and its commands', async () => {
    const [version, help, empty] = await Promise.all([run(['--version']), run(['--help']), run([])]);
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/serve[\s\S]*check/);
    expect(empty.code).toBe(2);
  });

  const badConfig = write('bad.json', { maxLimits: 5 });
  const wrongRole = [{ role: 'nobody', value: 'private' }];
  const roleConfig = write('role.json', { cacheControl: wrongRole });
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['a port that is no number', ['serve', snapshot, '--port', 'abc'], {}, /'--port <number>'.*'abc'/],
    ['a port that is too large', ['serve', snapshot, '--port', '65536'], {}, /'--port <number>'.*'65536'/],
    ['a port in the environment', ['serve', snapshot], { PORT: '-1' }, /PORT: port: must be at least 0, is -1/],
    ['an admin port', ['serve', snapshot, '--admin-port', 'x'], {}, /'--admin-port <number>'.*'x'/],
    ['a level of the log', ['serve', snapshot], { LOG_LEVEL: 'loud' }, /LOG_LEVEL: log.level: must be .*loud/],
    [
      'a variable',
      ['check', snapshot],
      { LECTERN_CACHE_BYTE: '1' },
      /LECTERN_CACHE_BYTE: no such setting.*LECTERN_CACHE_BYTES/,
    ],
    ['an empty host', ['serve', snapshot, '--host', ''], {}, /'--host <address>'/],
    ['a dialect', ['serve', snapshot, '--dialect', 'koa'], {}, /'--dialect <name>'.*'koa'.*document, strapi/],
    ['a dialect to check', ['check', snapshot, '--dialect', 'koa'], {}, /'--dialect <name>'.*'koa'/],
    ['a flag', ['serve', snapshot, '--prot', '1'], {}, /--prot/],
    ['a missing snapshot', ['serve'], {}, /snapshot/],
    ['one argument too many', ['check', snapshot, 'more'], {}, /too many arguments/],
    ['a missing config', ['serve', snapshot, '--config', 'none.json'], {}, /none\.json: cannot be read/],
    ['a config', ['check', snapshot, '--config', badConfig], {}, /bad\.json: maxLimits: unknown key/],
    [
      'a config that contradicts the snapshot',
      ['check', snapshot, '--config', roleConfig],
      {},
      /role\.json: cacheControl\[0\]\.role: no such role, is "nobody"/,
    ],
    [
      'a variable that contradicts the snapshot',
      ['explain', snapshot, '/api/notes'],
      { LECTERN_CACHE_CONTROL: JSON.stringify(wrongRole) },
      /LECTERN_CACHE_CONTROL: cacheControl\[0\]\.role: no such role, is "nobody"/,
    ],
    [
      'a route in a config that is no route of the snapshot',
      ['check', snapshot, '--config', write('routes.json', { routes: { 'api::nota.nota': { find: {} } } })],
      {},
      /routes\.json: routes\["api::nota\.nota"\]: no content type .*did you mean "api::note\.note"/,
    ],
  ])('rejects %s with exit code 2', async (_, args, added, message) => {
    const { code, stdout, stderr } = await run(args, added);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });
});

describe.concurrent('lectern check', () => {
  test('an image with a mediaUrl is checked and explained with the flag of its build', async () => {
    const image = join(folder, 'media.lectern');
    const flag = ['--media-url', 'https://files.example.org'];
    expect(await run(['build', snapshot, '--out', image, ...flag])).toMatchObject({ code: 0, stderr: '' });
    const [without, checked, explained] = await Promise.all([
      run(['check', image]),
      run(['check', image, ...flag]),
      run(['explain', image, '/api/notes', ...flag]),
    ]);
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('is opened without it') });
    expect([checked.code, explained.code]).toEqual([0, 0]);
  });

  test('prints the types and entries of a snapshot', async () => {
    const { code, stdout, stderr } = await run(['check', snapshot]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^content type +route +kind +entries$/m);
    expect(stdout).toMatch(/^api::note\.note +notes +collection +2$/m);
    expect(stdout).toMatch(/^api::writer\.writer +writers +collection +1$/m);
    expect(stdout).toMatch(/^4 entries, \d+ content types, 0 components \(document dialect\)$/m);
    expect(stdout).toMatch(/loaded in [\d.]+ s; [\d.]+ MiB resident/);
  });

  test('lists problems and exits with 1, and drops dangling relations with --lenient', async () => {
    const refused = await run(['check', dangling]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/1 problem[\s\S]*note[\s\S]*author[\s\S]*nobody/);
    const lenient = await run(['check', dangling, '--lenient']);
    expect(lenient.code).toBe(0);
    expect(lenient.stdout).toMatch(/^1 warning$/m);
    expect(lenient.stderr).toMatch(/^warning: /);
  });

  test('prints JSON with --json, also for a rejected snapshot', async () => {
    const checked = await run(['check', snapshot, '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ loads: true, dialect: 'document', warnings: [] });
    const refused = await run(['check', dangling, '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ loads: false, problemCount: 1, problems: [expect.any(String)] });
  });

  test('reports a missing snapshot in one line', async () => {
    const { code, stderr } = await run(['check', join(folder, 'nowhere')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/nowhere/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe.concurrent('the first run', () => {
  test('init writes a snapshot that loads without warnings, and only into an empty folder', async () => {
    const target = join(folder, 'started', 'here');
    const { code, stdout } = await run(['init', target]);
    expect(code).toBe(0);
    expect(stdout).toContain(`lectern serve ${target}\n`);
    const checked = JSON.parse((await run(['check', target, '--json'])).stdout);
    expect(checked).toMatchObject({ loads: true, warnings: [] });
    const again = await run(['init', target]);
    expect(again.code).toBe(1);
    expect(again.stderr).toBe(`lectern: ${target} is not empty. Name a new folder: lectern init FOLDER\n`);
  });

  test('warns if nobody may read the content, and opens it with --public', async () => {
    const closed = writeSnapshot('closed', 'ada');
    write('closed/roles.json', [
      { type: 'public', permissions: [] },
      { type: 'authenticated', permissions: [] },
    ]);
    const shut = await start(['--port', '0'], {}, closed);
    expect((await fetch(`${shut.url}api/notes`)).status).toBe(403);
    expect(shut.printed.stderr).toContain('Nobody may read this content');
    const open = await start(['--port', '0', '--public'], {}, closed);
    expect((await fetch(`${open.url}api/notes`)).status).toBe(200);
    expect((await fetch(`${open.url}api/users`)).status).toBe(403);
    expect(open.printed.stderr).toContain('Use this for development only');
  });
});

describe.concurrent('lectern explain', () => {
  const url = '/api/notes?filters[title][$startsWith]=F';

  test('prints operators as queries write them, and accepts a whole URL', async () => {
    const { code, stdout } = await run(['explain', snapshot, `http://127.0.0.1:1337${url}#top`]);
    expect(code).toBe(0);
    expect(stdout).toContain('api::note.note: title $startsWith "F"');
  });

  test('explains as a role, and lists the roles if it does not exist', async () => {
    const writers = ['explain', snapshot, '/api/writers', '--role'];
    expect((await run([...writers, 'authenticated'])).code).toBe(0);
    expect((await run([...writers, 'public'])).stderr).toContain('is answered with 403');
    const unknown = await run([...writers, 'editor']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toBe('lectern: There is no role "editor". The roles are public, authenticated.\n');
  });

  test('prints JSON with --json, also for a rejected query', async () => {
    const explained = await run(['explain', snapshot, url, '--json', '--role', 'public']);
    expect(JSON.parse(explained.stdout)).toMatchObject({ url, role: 'public', status: 200, bytes: expect.any(Number) });
    const refused = await run(['explain', snapshot, '/api/notes?filters[nope]=1', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ role: null, status: 400, plan: null, error: { status: 400 } });
  });
});

describe('lectern serve', () => {
  afterEach(killAll);

  test('prints content and dialect, answers, and exits with 0 on SIGTERM', async () => {
    const { child, exit, printed, url } = await start(['--port', '0']);
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

  test('finishes a request under way on SIGINT and accepts no new one', async () => {
    const { child, exit, port } = await start(['--port', '0']);
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

  test('is alive but not ready while it loads, and exits with 1 if loading fails', async () => {
    // loading waits for the extension, which waits for a file
    const sign = join(folder, 'go-on');
    const extension = join(folder, 'lectern-extend-slow.mjs');
    writeFileSync(
      extension,
      `import { existsSync } from 'node:fs';
      while (!existsSync(${JSON.stringify(sign)})) await new Promise((resolve) => setTimeout(resolve, 20));
      export default {};`,
    );
    const port = await freePort();
    const args = ['serve', dangling, '--port', String(port), '--extend', extension];
    const child = spawn(process.execPath, [cli, ...args], { env: environment() });
    running.push(child);
    const exit = once(child, 'exit');
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.status;
    while ((await status('/_health')) !== 204) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await status('/_ready')).toBe(503);
    expect(await status('/api/notes')).toBe(503);
    writeFileSync(sign, '');
    expect(await exit).toEqual([1, null]);
  });

  test('exits with 1 if the snapshot cannot be served', async () => {
    const { code, stdout, stderr } = await run(['serve', dangling, '--port', '0']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/1 problem[\s\S]*nobody/);
  });

  test('has an admin port and a request log if configured', async () => {
    const config = write('log.json', { log: { requests: true, level: 'error', slowMilliseconds: 60_000 } });
    const args = ['--port', String(await freePort()), '--admin-port', '0', '--config', config, '--log-level', 'debug'];
    const { child, exit, printed, url } = await start(args);
    while (!printed.stdout.includes('admin')) await once(child.stdout, 'data');
    const admin = /admin port is (\S+)\n/.exec(printed.stdout)![1];
    expect((await fetch(`${admin}_ready`)).status).toBe(200);
    expect((await fetch(`${url}_ready`)).status).toBe(404);
    expect((await fetch(`${url}api/notes`)).status).toBe(200);
    expect((await run(['health', '--process', String(child.pid)], { PORT: '1' })).code).toBe(0);
    child.kill('SIGHUP');
    while (!printed.stderr.includes('SIGHUP')) await once(child.stderr, 'data');
    expect((await fetch(`${url}api/notes`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const lines = printed.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const sighup = 'SIGHUP is ignored. Restart the server to load the content again.';
    const messages = ['request', 'request', 'request', 'request', sighup, 'request', 'stopping', 'stopped'];
    expect(lines.map(({ msg }) => msg)).toEqual(messages);
    expect(lines[2]).toMatchObject({ path: '/api/notes', status: 200, level: 30 });
  });

  test('reports a port that is in use in one line', async () => {
    const { port } = await start(['--port', '0']);
    const { code, stdout, stderr } = await run(['serve', snapshot, '--port', String(port)]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr).msg).toBe(`port ${port} of 127.0.0.1 is in use: choose another with --port`);
  });

  test('reports an admin port that is in use or equals the port in one sentence', async () => {
    const occupied = createServer().listen(0, '127.0.0.1');
    await once(occupied, 'listening');
    const { port } = occupied.address() as AddressInfo;
    const taken = await run(['serve', snapshot, '--port', '0', '--admin-port', String(port)]);
    occupied.close();
    expect([taken.code, taken.stdout]).toEqual([1, '']);
    const sentence = `port ${port} of 127.0.0.1 is in use: choose another with --admin-port`;
    expect(JSON.parse(taken.stderr)).toMatchObject({ level: 60, msg: sentence });
    const same = await run(['serve', snapshot, '--port', String(port), '--admin-port', String(port)]);
    expect([same.code, same.stdout]).toEqual([2, '']);
    expect(JSON.parse(same.stderr).msg).toBe(`flags: adminPort: must differ from port, is ${port}`);
  });

  test('writes its log as text or as JSON', async () => {
    const text = await run(['serve', dangling, '--port', '0'], {
      LECTERN_LOG_FORMAT: 'text',
      LECTERN_LOG_LEVEL: 'silent',
    });
    expect(text.code).toBe(1);
    expect(text.stderr).toMatch(/^lectern: [\s\S]*nobody/);
    const usage = await run(['serve', snapshot, '--prot', '1']);
    for (const line of usage.stderr.trim().split('\n')) expect(JSON.parse(line).level).toBe(60);

    const args = [cli, 'serve', dangling, '--lenient', '--port', '0'];
    const child = spawn(process.execPath, args, { env: environment({ LECTERN_LOG_FORMAT: 'json' }) });
    running.push(child);
    const printed = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (printed.stdout += data));
    child.stderr.on('data', (data) => (printed.stderr += data));
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
    const [first, second, third] = [await freePort(), await freePort(), await freePort()];
    const config = write('port.json', { port: first, dialect: 'strapi', prefix: '/content' });
    const [configured, fromEnvironment, flagged] = await Promise.all([
      start(['--config', config]),
      start(['--config', config], { PORT: String(second), HOST: '' }),
      start(['--config', config, '--port', String(third), '--dialect', 'document'], { PORT: String(second) }),
    ]);
    expect(configured.port).toBe(first);
    expect(fromEnvironment.port).toBe(second);
    expect(flagged.port).toBe(third);
    expect(flagged.printed.stdout).toContain('(document dialect)');
    expect((await fetch(`${flagged.url}content/notes`)).status).toBe(200);
    expect((await fetch(`${flagged.url}api/notes`)).status).toBe(404);
  });

  test('reads tokens and roles from the file and the JWT secret from the environment', async () => {
    const config = write('access.json', {
      tokens: [{ name: 'writers', sha256: sha256('letmein'), type: 'read-only' }],
      roles: [{ type: 'public', permissions: [] }],
      jwtSecret: 'another secret',
    });
    const secret = 'the secret in the environment';
    const { url } = await start(['--port', '0', '--config', config], { JWT_SECRET: secret });
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
