// `lectern serve` of a source that it follows. The reader of the source is one of tests.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { ScriptedProject, scriptedReaders } from '../source/scripted/project.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder, sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { samples, until } from '../support/server.ts';
import { connectionsByThread, endProcessesAfterEach, type ServingProcess, startProcess } from '../support/threads.ts';
import { CommandLine } from './command-line.ts';

endProcessesAfterEach();
beforeEach(() => void vi.stubEnv('NODE_OPTIONS', scriptedReaders));
afterEach(() => void vi.unstubAllEnvs());

const commandLine = new CommandLine();

const settings = {
  public: true,
  log: { requests: true, format: 'json' },
  admin: { tokens: [{ name: 'all', sha256: sha256('admin'), rights: ['changes', 'hooks', 'pin', 'reload'] }] },
};

function clientOf({ port, adminPort }: ServingProcess) {
  const send = async (path: string, method = 'POST', body: object = {}) => {
    const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
    return askServer(adminPort!, path, { method, headers, body: JSON.stringify(body) });
  };
  const titleAt = async (path: string) => (await askServer(port, path)).json().data?.title as string | undefined;
  return {
    send,
    titleAt,
    shows: (title: string, path = '/api/things/one') => until(async () => (await titleAt(path)) === title),
    sources: async () => (await askServer(adminPort!, '/_ready')).json().sources,
    metrics: async () => samples((await askServer(adminPort!, '/_metrics')).body.toString()),
  };
}

const start = async (project: ScriptedProject, ...args: string[]) => {
  const server = await startProcess(project.folder, ['--admin-port', '0', ...args], settings);
  return { ...server, ...clientOf(server) };
};

const isAgain = ({ msg }: Record<string, unknown>) => msg === 'the source is read again';
const isFailure = ({ level }: Record<string, unknown>) => level === 50;

describe('the folder of a project', () => {
  test('is followed by itself, and takes no other changes', async () => {
    const project = new ScriptedProject('First');
    const { send, shows, sources, port } = await start(project);
    await shows('First');
    project.change('Second');
    await shows('Second');
    project.content('Third');
    project.tell({ kind: 'reload', reason: 'an attribute was added', readAt: Date.now() });
    await shows('Third');
    const refused = await send('/_changes', 'POST', { changes: [] });
    expect([refused.status, refused.json().error.message]).toEqual([
      409,
      expect.stringContaining('The content "main" follows a Strapi'),
    ]);
    expect(await sources()).toMatchObject([{ content: 'main', source: project.folder, failuresInARow: 0 }]);
    expect((await askServer(port, '/')).body.toString()).toMatch(/Content from a Strapi, as of /);
  });

  test.each(['', 'main='])('gives the settings of its API, also as a content with a name: %j', async (name) => {
    const project = new ScriptedProject('First');
    mkdirSync(join(project.folder, 'config'));
    writeFileSync(join(project.folder, 'config', 'api.js'), `module.exports = { rest: { prefix: '/v1' } };`);
    const { port } = await startProcess(`${name}${project.folder}`, [], settings);
    const { status, body } = await askServer(port, '/v1/things/one');
    expect([status, String(body)]).toEqual([200, expect.stringContaining('First')]);
  });

  test('is read again by POST /_reload, after SIGHUP and at each hint', async () => {
    const project = new ScriptedProject('First');
    const { send, shows, sources, child } = await start(project);
    project.content('Second');
    expect((await send('/_reload')).json()).toMatchObject({ isNew: true });
    await shows('Second');
    expect((await send('/_reload')).json()).toMatchObject({ isNew: false });
    project.content('Third');
    child.kill('SIGHUP');
    await shows('Third');
    project.change('Fourth');
    await shows('Fourth');
    const [{ readAt }] = await sources();
    expect((await send('/_hooks/strapi', 'POST', { event: 'entry.update' })).status).toBe(204);
    await until(async () => (await sources())[0].readAt > readAt);
    project.remove();
    const failed = await send('/_reload');
    expect([failed.status, failed.json().error.message]).toEqual([422, expect.stringContaining('content.json')]);
    await shows('Fourth');
  });

  test('stays as it is while it cannot be read', async () => {
    const project = new ScriptedProject('First');
    const { shows, sources, line, lines, metrics } = await start(project);
    project.tell({ kind: 'refused', reason: 'my-strapi: the database is locked' });
    await line(isFailure);
    expect(await sources()).toMatchObject([{ error: { message: expect.stringContaining('the database is locked') } }]);
    await shows('First');
    project.change('Second');
    await shows('Second');
    await line(isAgain);
    expect(lines.filter(isFailure)).toHaveLength(1);
    expect((await sources())[0]).not.toHaveProperty('error');
    expect((await metrics()).get('lectern_source_errors_total{content="main"}')).toBe(1);
  });

  test.each(['exit', 'fill'])(
    'stays when the thread that reads it ends (%s), and another one goes on',
    async (kind) => {
      if (kind === 'fill') vi.stubEnv('NODE_OPTIONS', `${scriptedReaders} --max-old-space-size=64`);
      const project = new ScriptedProject('First');
      const { shows, line } = await start(project);
      project.content('Second');
      project.tell({ kind });
      await line(isFailure);
      await shows('Second');
      project.change('Third');
      await shows('Third');
    },
  );

  test('catches up after a pin', async () => {
    const project = new ScriptedProject('First');
    const { send, shows, titleAt, port } = await start(project);
    const { headers } = await askServer(port, '/api/things/one');
    await send('/_pin', 'PUT', { version: headers['x-lectern-version'] });
    project.change('Second');
    const latest = async () => (await send('/_pin', 'GET')).json().latest as string;
    await until(async () => (await latest()).endsWith('-1'));
    expect(await titleAt('/api/things/one')).toBe('First');
    await send('/_pin', 'DELETE');
    await shows('Second');
  });

  test('is one of several contents, each with its own source', async () => {
    const [one, two] = [new ScriptedProject('One'), new ScriptedProject('Two')];
    const args = [`two=${two.folder}`, `guide=${guideFolder}`, '--admin-port', '0'];
    const server = await startProcess(`one=${one.folder}`, args, settings);
    const { shows, sources, send } = clientOf(server);
    one.change('Other one');
    two.change('Other two');
    await shows('Other one', '/one/api/things/one');
    await shows('Other two', '/two/api/things/one');
    expect(await sources()).toMatchObject([
      { content: 'one', source: one.folder },
      { content: 'two', source: two.folder },
    ]);
    expect((await send('/_changes?content=guide', 'POST', { changes: [] })).status).toBe(200);
  });
});

function testThreads(): void {
  test('all threads show the changes of a source, and how fresh it is', async () => {
    const project = new ScriptedProject('First');
    const server = await start(project, '--threads', '2');
    const asks = [...(await connectionsByThread(server, 2)).values()];
    const expectAll = async (title: string) => {
      const shown = async () => Promise.all(asks.map(async (ask) => (await ask('/api/things/one')).json().data.title));
      await until(async () => (await shown()).every((each) => each === title));
    };
    project.change('Second');
    await expectAll('Second');
    project.content('Third');
    project.tell({ kind: 'reload', reason: 'an attribute was added', readAt: Date.now() });
    await expectAll('Third');
    for (const ask of asks) expect((await ask('/')).body.toString()).toMatch(/Content from a Strapi, as of /);
    project.tell({ kind: 'exit' });
    await server.line(isFailure);
    project.change('Fourth');
    await expectAll('Fourth');
  });
}

if (canShareMemory) testThreads();

describe('the cache', () => {
  const cacheOf = (folder: string) => join(folder, 'sources');
  const images = (folder: string) => readdirSync(cacheOf(folder)).filter((name) => name.endsWith('.json'));

  async function keep(project: ScriptedProject): Promise<string> {
    const folder = temporaryFolder();
    const { child, exit } = await start(project, '--cache', folder);
    await until(() => readdirSync(folder).includes('sources') && images(folder).length === 1);
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    return folder;
  }

  test('is served at a start while the source is away, until it is back', async () => {
    const project = new ScriptedProject('Kept');
    const folder = await keep(project);
    project.remove();
    const { shows, lines, sources } = await start(project, '--cache', folder);
    await shows('Kept');
    const [warning] = lines.filter(({ level }) => level === 40);
    expect(warning.msg).toMatch(/^content from the cache is served until .*my-strapi can be read: /);
    expect((await sources())[0]).toMatchObject({ readAt: warning.readAt });
    project.content('Back');
    await shows('Back');
    project.change('Changed');
    await shows('Changed');
  });

  test('that is damaged is named, and a start without the source fails', async () => {
    const project = new ScriptedProject('Kept');
    const folder = await keep(project);
    const image = join(cacheOf(folder), images(folder)[0].replace(/\.json$/, ''));
    const bytes = readFileSync(image);
    bytes[bytes.length - 100] ^= 0xff;
    writeFileSync(image, bytes);
    // with the source, only a normal start
    const { child, exit, shows } = await start(project, '--cache', folder);
    await shows('Kept');
    child.kill('SIGKILL');
    await exit;
    writeFileSync(image, bytes);
    project.remove();
    const { code, stderr } = await commandLine.run(['serve', project.folder, '--port', '0', '--cache', folder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/the cached content cannot be used: .*the CRC-32 of its section/s);
    expect(stderr).toMatch(/content\.json: cannot be read/);
  });
});

describe('a start is refused', () => {
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await commandLine.run(['serve', '--port', '0', ...args]);
    return [code, stderr] as const;
  };

  test('when a source that cannot be read is not in the cache', async () => {
    const project = new ScriptedProject('First');
    project.remove();
    const [code, stderr] = await refusal(project.folder, '--cache', temporaryFolder());
    expect([code, stderr]).toEqual([1, expect.stringContaining('content.json: cannot be read')]);
  });

  test.each([
    [['PROJECT', '--journal', 'changes.journal'], 'flags: journal: a content that follows a Strapi takes no changes'],
    [[guideFolder, '--follow'], 'flags: follow: only the folder of a Strapi project or the address of a Strapi'],
    [['PROJECT', '--watch', '--no-follow'], 'flags: watch: only a snapshot is loaded again when it changes'],
    [['http://127.0.0.1:1', '--watch'], 'flags: watch: only a snapshot is loaded again when it changes'],
    [[guideFolder, '--token', 'secret'], '--token: is only for the address of a Strapi'],
    [
      ['a=http://127.0.0.1:1', 'b=http://127.0.0.1:2', '--token', 'secret'],
      '--token: one token cannot belong to several Strapis (http://127.0.0.1:1, http://127.0.0.1:2)',
    ],
    [['http://user:secret@127.0.0.1:1'], 'http://127.0.0.1:1: the address of a Strapi has no user, password'],
  ])('by settings that contradict: %j', async (args, message) => {
    const project = new ScriptedProject('First');
    const [code, stderr] = await refusal(...args.map((arg) => (arg === 'PROJECT' ? project.folder : arg)));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).not.toContain('secret');
  });

  test('watch has no effect on a source that is followed', async () => {
    const project = new ScriptedProject('First');
    const { line } = await start(project, '--watch');
    const { level } = await line(({ msg }) => /^flags: watch: has no effect/.test(String(msg)));
    expect(level).toBe(40);
  });
});
