import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { SnapshotError } from '../../src/core/errors.ts';
import { ConfigError } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import {
  exchange,
  type RunningServer,
  samples,
  start,
  startEmpty,
  stopServersAfterEach,
  until,
} from '../support/server.ts';

/** The routes of the admin port that change something. */

stopServersAfterEach();

const admin = {
  tokens: [
    { name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] },
    { name: 'previews', sha256: sha256('previews').toUpperCase(), rights: ['contents'] },
  ],
};

const served = { isNew: true, version: 'v2', entries: 3 };

/** Starts a server with an admin port, whose reloads do `load`. */
async function startAdmin(settings: object = { admin }, load = async () => served): Promise<RunningServer> {
  const running = await start({ adminPort: 0, ...settings });
  running.server.reloads.begin(['main'], load);
  return running;
}

const send = (port: number, { token = 'deploy', method = 'POST', path = '/_reload' } = {}): Promise<HttpAnswer> =>
  askServer(port, path, { method, headers: token ? { Authorization: `Bearer ${token}` } : {} });

describe('POST /_reload', () => {
  test('answers what is served when it is served', async () => {
    const { adminPort } = await startAdmin();
    const { status, headers, json } = await send(adminPort);
    expect([status, json()]).toEqual([200, { ...served, milliseconds: expect.any(Number) }]);
    expect(headers['cache-control']).toBe('no-store');
  });

  test('is a 422 with the problems of a snapshot that does not load', async () => {
    const failing = async () => Promise.reject(new SnapshotError(['a.json: not JSON'], 7));
    const { adminPort } = await startAdmin({ admin }, failing);
    const { status, json } = await send(adminPort);
    expect(status).toBe(422);
    expect(json().error).toMatchObject({
      name: 'SnapshotError',
      details: { problems: ['a.json: not JSON'], count: 7 },
    });
  });

  test('is a 422 with the settings that contradict the snapshot', async () => {
    const failing = async () => Promise.reject(new ConfigError('config.json: roles[0]: no such role'));
    const { adminPort } = await startAdmin({ admin }, failing);
    const { status, json } = await send(adminPort);
    expect([status, json().error.message]).toEqual([422, 'config.json: roles[0]: no such role']);
  });

  test('is a 500 that tells nothing after an unexpected error', async () => {
    const { adminPort, lines } = await startAdmin({ admin }, async () => Promise.reject(new Error('secret')));
    const { status, body } = await send(adminPort);
    expect(status).toBe(500);
    expect(body.toString()).toMatch(/^(?!.*secret).*see the log/);
    expect(lines.filter(({ level }) => level === 50)).toHaveLength(1);
  });

  test('is a 409 during a reload and during the first load', async () => {
    const running = await startEmpty({ adminPort: 0, admin });
    expect((await send(running.adminPort)).json().error).toMatchObject({ status: 409, name: 'ConflictError' });
    let finish!: () => void;
    running.server.reloads.begin(['main'], () => new Promise((resolve) => (finish = () => resolve(served))));
    const first = send(running.adminPort);
    while (running.server.reloads.busy === null) await new Promise(setImmediate);
    expect((await send(running.adminPort)).json().error.message).toContain('A reload is in progress');
    finish();
    expect((await first).status).toBe(200);
  });

  test.each([
    ['no token', '', 401, 'Send a token of admin.tokens'],
    ['an unknown token', 'other', 401, 'Send a token of admin.tokens'],
    ['the digest in place of the token', sha256('deploy'), 401, 'Send a token of admin.tokens'],
    ['a token without the right', 'previews', 403, 'The token "previews" lacks the right "reload" (admin.tokens)'],
  ])('refuses %s', async (_, token, status, message) => {
    const { adminPort, server } = await startAdmin();
    const { json } = await send(adminPort, { token });
    expect(json().error).toMatchObject({ status, message: expect.stringContaining(message) });
    expect(server.reloads.figures.counts.replaced).toBe(0);
  });

  test('is closed without configured tokens, and says what to configure', async () => {
    const { adminPort } = await startAdmin({});
    expect((await send(adminPort)).json().error).toMatchObject({
      status: 403,
      message: 'No token may do this: give one in admin.tokens the right "reload"',
    });
  });

  test('is not on the main port', async () => {
    const { port } = await startAdmin();
    expect((await send(port)).status).toBe(405);
    expect((await send(port, { method: 'GET' })).status).toBe(404);
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('does not take %s', async (method) => {
    const { adminPort } = await startAdmin();
    const { status, headers } = await send(adminPort, { method });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });
});

test('a path that is not percent-encoded is a 400, and is not logged as a failure', async () => {
  const { adminPort, lines } = await startAdmin();
  for (const method of ['PUT', 'DELETE']) {
    const { status, json } = await send(adminPort, { method, path: '/_contents/%zz', token: '' });
    expect([status, json().error.message]).toEqual([400, 'The path is not percent-encoded UTF-8']);
  }
  expect(lines.filter(({ level }) => (level as number) >= 40)).toEqual([]);
});

test.each([
  ['with uploads', { contents: { folder: temporaryFolder() } }],
  ['without uploads', {}],
])('a connection %s ends after the reply to a request whose body is not read', async (_, settings) => {
  const rights = ['changes', 'contents', 'reload', 'hooks', 'pin'];
  const tokens = [{ name: 'all', sha256: sha256('all'), rights }];
  const { adminPort } = await startAdmin({ admin: { tokens }, ...settings });
  const begun = 'Content-Length: 1000\r\n\r\nxxx';
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n3\r\nxxx\r\n';
  const tooLarge = `Authorization: Bearer all\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n${'x'.repeat(10_000)}\r\n`;
  const cases: [request: string, rest: string, status: number][] = [
    ['POST /_changes', begun, 401],
    ['PUT /_contents/a', begun, 401],
    ['PUT /_contents/a', chunked, 401],
    ['POST /_reload', begun, 401],
    ['POST /_hooks/strapi', begun, 401],
    ['PUT /_pin', begun, 401],
    ['PUT /_pin', tooLarge, 413],
    ['DELETE /_reload', begun, 405],
    ['POST /nothing', begun, 404],
    ['GET /_ready', begun, 200],
  ];
  const answers = cases.map(([request, rest]) => exchange(adminPort, `${request} HTTP/1.1\r\nHost: a\r\n${rest}`));
  for (const [i, answer] of (await Promise.all(answers)).entries()) {
    expect(answer, cases[i].join(' ')).toMatch(new RegExp(`^HTTP/1.1 ${cases[i][2]} [^]*\r\n\r\n[^]+$`));
  }
});

test('a connection is kept if the rest of a body follows its reply', async () => {
  const { adminPort } = await startAdmin();
  const socket = connect(adminPort, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (data) => (received += data));
  socket.write('POST /_reload HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab');
  await until(() => received.includes('401'));
  socket.write('cdGET /_ready HTTP/1.1\r\nHost: a\r\n\r\n');
  await until(() => received.includes('"ready":true'));
  socket.destroy();
});

test('a body that the client breaks off is one line of the log, and no failure', async () => {
  const contents = { folder: temporaryFolder() };
  const tokens = [{ name: 'all', sha256: sha256('all'), rights: ['changes', 'contents'] }];
  const { adminPort, lines } = await startAdmin({ admin: { tokens }, contents });
  const requests = [
    ['POST', '/_changes', 'application/json'],
    ['PUT', '/_contents/a', 'application/json'],
  ];
  for (const [i, [method, path, type]] of requests.entries()) {
    const socket = connect(adminPort, '127.0.0.1');
    const headers = `Host: a\r\nAuthorization: Bearer all\r\nContent-Type: ${type}\r\nContent-Length: 1000`;
    socket.write(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\nab`, () => socket.end());
    await until(() => lines.length > i);
  }
  expect(lines).toEqual(
    requests.map(([method, url]) => expect.objectContaining({ level: 30, method, url, msg: 'the client broke off' })),
  );
});

describe('a failed reload', () => {
  const failed = async (settings: object) => {
    const running = await startAdmin(settings, async () => Promise.reject(new SnapshotError(['a.json: not JSON'])));
    await running.server.reloads.schedule('SIGHUP').catch(() => {});
    return running;
  };
  const failedAt = expect.stringMatching(/^\d{4}-.*Z$/);

  test('leaves /_ready at 200, with the reason on the admin port', async () => {
    const { adminPort } = await failed({});
    const { status, json } = await askServer(adminPort, '/_ready');
    const error = expect.stringContaining('a.json: not JSON');
    expect([status, json()]).toEqual([200, { ready: true, reload: { failedAt, error } }]);
  });

  test('is in /_ready of the main port without the reason, which quotes the content', async () => {
    const { port } = await failed({ adminPort: undefined });
    const { json } = await askServer(port, '/_ready');
    expect(json()).toEqual({ ready: true, reload: { failedAt, error: 'the snapshot does not load: see the log' } });
  });

  test('is in the metrics until a reload succeeds', async () => {
    const { server, adminPort } = await failed({});
    const read = async () => samples((await askServer(adminPort, '/_metrics')).body.toString());
    expect((await read()).get('lectern_reload_failed')).toBe(1);
    expect((await read()).get('lectern_reloads_total{result="failed"}')).toBe(1);
    server.reloads.begin(['main'], async () => served);
    await server.reloads.schedule('SIGHUP');
    expect((await read()).get('lectern_reload_failed')).toBe(0);
    expect((await read()).get('lectern_reloads_total{result="replaced"}')).toBe(1);
    expect((await read()).get('lectern_reload_seconds')).toBeGreaterThanOrEqual(0);
    expect((await askServer(adminPort, '/_ready')).json()).toEqual({ ready: true });
  });
});
