/** `lectern serve --database` reads DATABASE_URL, and nothing else does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandLine } from '../../cli/command-line.ts';
import { unpackProject } from '../../load/project/recorded-projects.ts';
import { freePort } from '../../support/cli.ts';
import { askServer } from '../../support/http.ts';
import { until } from '../../support/server.ts';
import { type MuseumServer, museumServers, tablesOf } from './museum-servers.ts';

const lectern = new CommandLine();
const secret = 'top/secret';

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe.each(museumServers)('%s', (_, start) => {
  let server: MuseumServer;

  beforeAll(async () => {
    server = await start();
    await server.addReader('reader', secret, await tablesOf(server));
  });

  afterAll(() => server?.stop());

  const url = (password: string) => server.urlOf({ user: 'reader', password });

  /** Starts to serve the database, and resolves when it is served. */
  async function serve(types: string, ...flags: string[]) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const ports = ['--port', String(port), '--admin-port', String(adminPort)];
    const running = lectern.spawn(['serve', '--database', '--types', types, '--public', ...ports, ...flags], {
      DATABASE_URL: url(secret),
      LECTERN_LOG_LEVEL: 'debug',
    });
    await until(async () => {
      if (running.child.exitCode !== null) throw new Error(`serve ended: ${running.printed.stderr}`);
      return (await askServer(adminPort, '/_ready').catch(() => null))?.status === 200;
    });
    const ask = async (path: string) => {
      const { status, body } = await askServer(port, path);
      return { status, ...JSON.parse(String(body)) };
    };
    const pages = async () =>
      String((await askServer(adminPort, '/_ready')).body) + (await askServer(adminPort, '/_metrics')).body;
    return { ...running, ask, pages };
  }

  test.each([
    ['an export', () => server.export],
    ['the folder of the project', () => unpackProject('museum')],
  ])('the content is served and followed with the components of %s', async (_, types) => {
    const { ask, pages, printed, child } = await serve(
      types(),
      '--cache',
      join(lectern.folder, `cache-${server.client}`),
    );
    const { status, data, meta } = await ask('/api/tags?pagination[limit]=1&sort=id');
    expect([status, data.length]).toEqual([200, 1]);
    expect(meta.pagination.total).toBeGreaterThan(1);
    const label = `changed ${Math.random()}`;
    await server.run(`UPDATE tags SET label = '${label}', updated_at = localtimestamp(6) WHERE id = ${data[0].id}`);
    await until(async () => (await ask('/api/tags?pagination[limit]=1&sort=id')).data[0].label === label);
    const shown = printed.stdout + printed.stderr + (await pages());
    expect(shown).toContain(`${server.client}://127.0.0.1:${server.port}/museum`);
    for (const text of [secret, encodeURIComponent(secret)]) expect(shown).not.toContain(text);
    child.kill('SIGTERM');
  });

  test('a start without the database serves what the cache has, where no password is', async () => {
    const cache = join(lectern.folder, `images-${server.client}`);
    const written = () => filesIn(cache).filter((file) => file.endsWith('.lectern.json'));
    const first = await serve(server.export, '--cache', cache);
    await until(() => Promise.resolve(existsSync(cache) && written().length > 0));
    first.child.kill('SIGTERM');
    await first.exit;
    await server.stop();
    try {
      const second = await serve(server.export, '--cache', cache);
      expect((await second.ask('/api/tags')).data.length).toBeGreaterThan(0);
      second.child.kill('SIGTERM');
      await second.exit;
    } finally {
      await server.start();
    }
    const kept = filesIn(cache).map((file) => file + readFileSync(file, 'latin1'));
    for (const text of [secret, encodeURIComponent(secret)]) expect(kept.join()).not.toContain(text);
  }, 60_000);

  test('a wrong password gives a sentence without it', async () => {
    const DATABASE_URL = url('guessed-secret');
    const args = ['serve', '--database', '--types', server.export, '--port', '0'];
    const { code, stdout, stderr } = await lectern.run(args, { DATABASE_URL, LECTERN_FOLLOW_START_SECONDS: '1' });
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(/the server rejects the user reader/)]);
    expect(stdout + stderr).not.toContain('guessed-secret');
  });

  test('without --follow, the content is served as it is', async () => {
    const { ask, child } = await serve(server.export, '--no-follow');
    expect((await ask('/api/tags')).status).toBe(200);
    child.kill('SIGTERM');
  });

  test('a project whose configuration does not name DATABASE_URL is read without it', async () => {
    const { code, stdout } = await lectern.run(['check', unpackProject('museum')], { DATABASE_URL: url(secret) });
    expect([code, stdout]).toEqual([0, expect.stringContaining('api::tag.tag')]);
  });
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['no address', ['--database', '--types', 'x'], {}, /DATABASE_URL: set this environment variable .*postgres:\/\/USER/],
  [
    'no components',
    ['--database'],
    { DATABASE_URL: 'postgres://a:hidden@b/c' },
    /--database: a database does not hold the components, so say with --types/,
  ],
  [
    'another address',
    ['--database', '--types', 'x'],
    { DATABASE_URL: 'mongodb://a:hidden@b/c' },
    /DATABASE_URL: is not the address of a PostgreSQL, MySQL or MariaDB database/,
  ],
  [
    'no port',
    ['--database', '--types', 'x'],
    { DATABASE_URL: 'postgres://a:hidden@b:x/c' },
    /DATABASE_URL: is not the address/,
  ],
  [
    'a snapshot beside',
    ['./content', '--database', '--types', 'x'],
    { DATABASE_URL: 'postgres://a:hidden@b/c' },
    /--database: is served in place of \.\/content/,
  ],
  ['no snapshot', [], { DATABASE_URL: 'postgres://a:hidden@b/c' }, /missing required argument 'snapshots'/],
])('%s gives a sentence without the password', async (_, args, environment, message) => {
  const { code, stdout, stderr } = await lectern.run(['serve', ...args], { DATABASE_URL: '', ...environment });
  expect(stdout + stderr).toMatch(message);
  expect(stdout + stderr).not.toContain('hidden');
  expect(code).toBeGreaterThan(0);
});
