import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { AnsweredKeys } from '../../src/content/live/change-request.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import type { Content } from '../../src/index.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { freshnessOf } from '../support/freshness.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';
import { openShared } from '../support/open-shared.ts';
import { exchange, type RunningServer, samples, startEmpty, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** `POST /_changes` on the admin port of a server with one thread. */

stopServersAfterEach();

const admin = {
  tokens: [
    { name: 'editor', sha256: sha256('editor'), rights: ['changes'] },
    { name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] },
  ],
};

const things = thingSnapshot({ title: { type: 'string' }, size: { type: 'integer' } }, [
  { documentId: 'one', title: 'One' },
]);
const openThings = (): Promise<Content> => openShared(things, { public: true });

interface Running extends RunningServer {
  readonly content: Content;
  send(body: unknown, options?: SendOptions): Promise<HttpAnswer>;
  title(documentId?: string): Promise<string | number>;
}

interface SendOptions {
  readonly token?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

async function startWith(disk?: SimulatedDisk, settings: object = { admin }): Promise<Running> {
  const running = await startEmpty({ adminPort: 0, ...settings });
  const { content, opened } = disk ? await openJournaled(disk, things) : { content: await openThings(), opened: null };
  const contents = new Contents(createEntry({ name: 'main', content, error: null, put: null }));
  running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, opened) });
  return { ...running, content, ...clientOf(running) };
}

function clientOf({ port, adminPort }: Pick<RunningServer, 'port' | 'adminPort'>): Pick<Running, 'send' | 'title'> {
  return {
    send: (body, { token = 'editor', path = '/_changes', method = 'POST', headers = {} } = {}) =>
      askServer(adminPort, path, {
        method,
        headers: {
          'Content-Type': 'application/json',
          ...(token && { Authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    title: async (documentId = 'one') => {
      const { status, json } = await askServer(port, `/api/things/${documentId}`);
      return status === 200 ? json().data.title : status;
    },
  };
}

/** Sends the beginning of a request for changes. */
function sendPart(port: number, header: string, body: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const head =
    'POST /_changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer editor\r\nContent-Type: application/json\r\n';
  socket.write(`${head}${header}\r\n\r\n${body}`);
  return socket;
}

/** Sends changes until they are rejected, because the server has read the requests before. */
async function expectRejected(send: Running['send'], message: string): Promise<void> {
  await waitFor(async () => {
    const { status, json } = await send(titled('Changed'));
    expect([status, json().error?.message]).toEqual([503, message]);
  });
}

const limit = 64 * 2 ** 20;

const thing = 'api::thing.thing';
const upsert = (title: unknown, documentId = 'one') => ({ upsert: thing, entry: { documentId, title } });
const titled = (title: unknown, documentId?: string) => ({ changes: [upsert(title, documentId)] });

describe('a change', () => {
  test('is served when it is answered, with the version that replies have', async () => {
    const { send, title, content, port } = await startWith();
    const [epoch] = content.version.split('-');
    const { status, headers, json } = await send({
      changes: [upsert('Changed'), upsert('Two', 'two')],
      previous: `${epoch}-0`,
    });
    expect([status, json()]).toEqual([200, { version: `${epoch}-1`, sequence: 1 }]);
    expect(headers['cache-control']).toBe('no-store');
    expect([await title(), await title('two')]).toEqual(['Changed', 'Two']);
    expect((await askServer(port, '/api/things/one')).headers['x-lectern-version']).toBe(`${epoch}-1`);
    expect((await send({ changes: [{ delete: thing, documentId: 'two' }] })).json().sequence).toBe(2);
    expect(await title('two')).toBe(404);
  });

  test('is applied in the order of the requests', async () => {
    const { send, title } = await startWith();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((each) => send(titled(each))));
    const last = answers.map((answer) => answer.json().sequence).indexOf(4);
    expect(answers.map((answer) => answer.json().sequence).sort()).toEqual([1, 2, 3, 4]);
    expect(await title()).toBe('abcd'[last]);
  });

  test('of another version than the one that is served is a 409 that names both', async () => {
    const { send, title, content } = await startWith();
    const first = content.version;
    await send(titled('First'));
    const { status, json } = await send({ ...titled('Second'), previous: first });
    expect([status, json().error.details]).toEqual([409, { previous: first, version: content.version }]);
    expect(json().error.message).toBe(`"previous" is ${first}, but the version ${content.version} is served`);
    expect(await title()).toBe('First');
  });

  test('that is wrong is a 422 with every place, and nothing is applied', async () => {
    const { send, title, content } = await startWith();
    const before = content.version;
    const changes = [upsert('Fine'), upsert(7), { upsert: 'api::thin.thin', entry: {} }, { delete: thing }];
    const { status, json } = await send({ changes });
    expect(status).toBe(422);
    expect(json().error.details.count).toBe(3);
    const { problems } = json().error.details;
    for (const [i, place] of ['changes[2]', 'changes[3]', 'changes[1].entry'].entries()) {
      expect(
        problems.filter((problem: string) => problem.startsWith(place)),
        `${i} in ${problems}`,
      ).toHaveLength(1);
    }
    expect([await title(), content.version]).toEqual(['One', before]);
  });

  test.each([
    ['both forms', { changes: [], batch: {} }, 'give either "changes" or "batch"'],
    ['neither form', {}, 'give either "changes" or "batch"'],
    ['another key', { changes: [], prevous: '1-1' }, 'prevous: unknown key (did you mean "previous"?)'],
    ['a version that is none', { changes: [], previous: 'x' }, 'previous: must be a version as in the header'],
    ['a list that is none', { changes: {} }, 'changes: expected a list'],
    ['a batch that is none', { batch: { entities: 1 } }, 'entities: must be of type array, is 1'],
    ['no object', [], 'must be of type object'],
  ])('is a 422 for %s', async (_, body, message) => {
    const { send } = await startWith();
    const { status, json } = await send(body);
    expect(status).toBe(422);
    expect(json().error.message).toContain(message);
  });
});

describe('a request', () => {
  test.each([
    ['no token', { token: '' }, 401, 'Send a token'],
    ['another token', { token: 'other' }, 401, 'Send a token'],
    ['a token without the right', { token: 'deploy' }, 403, 'lacks the right "changes"'],
    ['another method', { method: 'PUT' }, 405, 'use POST'],
    ['another type', { headers: { 'Content-Type': 'text/plain' } }, 415, 'Send JSON'],
    ['an encoding', { headers: { 'Content-Encoding': 'gzip' } }, 415, 'without Content-Encoding'],
    ['an unknown content', { path: '/_changes?content=other' }, 404, 'There is no content "other"'],
    ['a misspelt parameter', { path: '/_changes?contnt=main' }, 400, '"contnt" is unknown or given twice'],
    ['a key that is empty', { headers: { 'Idempotency-Key': '' } }, 400, 'has 0 characters'],
    ['a key that is too long', { headers: { 'Idempotency-Key': 'x'.repeat(256) } }, 400, 'has 256 characters'],
  ])('with %s is refused', async (_, options, status, message) => {
    const { send, title } = await startWith();
    const answer = await send(titled('Changed'), options);
    expect(answer.json().error).toMatchObject({ status, message: expect.stringContaining(message) });
    expect(await title()).toBe('One');
  });

  test('that is not JSON is a 400 that says where', async () => {
    const { send } = await startWith();
    const { status, json } = await send('{"changes": [,]}');
    const message = 'body: 1:14: invalid JSON: expected a value';
    expect([status, json().error]).toMatchObject([400, { message, details: { line: 1, column: 14 } }]);
  });

  test.each([
    ['the changes', `{"changes": [],\n"changes": ${JSON.stringify(titled('Second').changes)}}`, '2:1', 'changes'],
    ['the type', `{"changes": [{"upsert": "${thing}", "upsert": "x"}]}`, '1:45', 'upsert'],
    ['the version', '{"changes": [], "previous": "1-0", "\\u0070revious": null}', '1:36', 'previous'],
  ])('with %s given twice is a 400 that names the key and its place', async (_, body, place, key) => {
    const { send, title, content } = await startWith();
    const { status, json } = await send(body);
    expect([status, json().error.message]).toEqual([400, `body: ${place}: duplicate key "${key}"`]);
    expect([await title(), content.version]).toEqual(['One', expect.stringMatching(/-0$/)]);
  });

  test('that is not UTF-8 is a 400', async () => {
    const { adminPort } = await startWith();
    const headers = { Authorization: 'Bearer editor', 'Content-Type': 'application/json' };
    const body = Buffer.from(JSON.stringify(titled('Caf\u00e9')), 'latin1');
    const { status, json } = await askServer(adminPort, '/_changes', { method: 'POST', headers, body });
    expect([status, json().error.message]).toEqual([400, 'body: is not UTF-8']);
  });

  test.each([
    ['announced', `Content-Length: ${limit + 1}\r\n\r\n`],
    ['sent', `Transfer-Encoding: chunked\r\n\r\n${(limit + 1).toString(16)}\r\n${' '.repeat(limit + 1)}`],
  ])('that is too large is a 413 when its length is %s', async (_, rest) => {
    const { adminPort, title } = await startWith();
    const head =
      'POST /_changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer editor\r\nContent-Type: application/json\r\n';
    const reply = await exchange(adminPort, head + rest);
    expect(reply).toMatch(/^HTTP\/1.1 413 [\s\S]*The JSON takes more than 67108864 bytes/);
    expect(await title()).toBe('One');
  });

  test('is a 503 while the first content is being loaded', async () => {
    const running = await startEmpty({ adminPort: 0, admin });
    expect((await clientOf(running).send(titled('Changed'))).status).toBe(503);
  });

  test('is a 503 while 100 others are read', async () => {
    const { send, adminPort } = await startWith();
    const others = Array.from({ length: 100 }, () => sendPart(adminPort, 'Content-Length: 1000', '{'));
    await expectRejected(send, '100 batches wait already: try again in a moment');
    for (const socket of others) socket.destroy();
    await waitFor(async () => expect((await send(titled('Changed'))).status).toBe(200));
  });

  test.each([
    ['whose sizes are known', ['Content-Length: 67108864', '{']],
    ['that come in pieces', ['Transfer-Encoding: chunked', `4000000\r\n${' '.repeat(limit)}`]],
  ])('is a 503 while bodies %s take 256 MiB together', async (_, [header, body]) => {
    const { send, adminPort } = await startWith();
    const others: Socket[] = [];
    // a change that is being read may leave too little room for the end of another body: its client sends it again
    const sendOther = () => {
      const socket = sendPart(adminPort, header, body);
      others.push(socket);
      socket.once('data', sendOther);
    };
    for (let i = 0; i < 4; i++) sendOther();
    await expectRejected(
      send,
      'The requests that are read or wait may take 268435456 bytes together: try again in a moment',
    );
    for (const socket of others) socket.removeAllListeners('data').destroy();
    await waitFor(async () => expect((await send(titled('Changed'))).status).toBe(200));
  });

  test('names one of several contents', async () => {
    const running = await startEmpty({ adminPort: 0, admin });
    const entry = async (name: string) => createEntry({ name, content: await openThings(), error: null, put: null });
    const contents = new Contents(await entry('main'));
    await contents.set(await entry('pr-1'));
    await contents.set(createEntry({ name: 'broken', content: null, error: 'is broken', put: null }));
    running.server.serveContents({ contents, areChosen: true, stored: null, live: new LiveContents(contents, null) });
    const { send } = clientOf(running);
    expect((await send(titled('Preview'), { path: '/_changes?content=pr-1' })).status).toBe(200);
    const titles = ['', '/pr-1'].map(async (path) => (await askServer(running.port, `${path}/api/things`)).json());
    expect((await Promise.all(titles)).map(({ data }) => data[0].title)).toEqual(['One', 'Preview']);
    expect((await send(titled('x'), { path: '/_changes?content=broken' })).status).toBe(503);
  });

  test('to a content that follows a source are a 409', async () => {
    const running = await startEmpty({ adminPort: 0, admin });
    const content = await openThings();
    const source = { freshness: freshnessOf('./my-strapi'), hint: () => {}, onRead: () => () => {} };
    const contents = new Contents(createEntry({ name: 'main', content, source, error: null, put: null }));
    running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, null) });
    const { status, json } = await clientOf(running).send(titled('x'));
    expect([status, json().error.message]).toEqual([
      409,
      'The content "main" follows a Strapi, and takes no other changes: make them there, or in a preview',
    ]);
    expect(content.version).toMatch(/-0$/);
  });
});

describe('an Idempotency-Key', () => {
  const key = { headers: { 'Idempotency-Key': 'k1' } };

  test('gets the first answer again', async () => {
    const { send, title, content } = await startWith();
    const first = (await send(titled('First'), key)).json();
    await send(titled('Second'));
    expect((await send(titled('First'), key)).json()).toEqual(first);
    expect([await title(), content.version]).toEqual(['Second', first.version.replace(/1$/, '2')]);
  });

  test('gets one answer for two requests at a time', async () => {
    const { send, content } = await startWith();
    const [one, two] = await Promise.all([send(titled('First'), key), send(titled('First'), key)]);
    expect(one.json()).toEqual(two.json());
    expect(content.version).toMatch(/-1$/);
  });

  test('with another body is a 422', async () => {
    const { send, title } = await startWith();
    await send(titled('First'), key);
    const { status, json } = await send(titled('Second'), key);
    expect([status, json().error.message]).toEqual([
      422,
      'The Idempotency-Key "k1" was sent with another body. Use a new key',
    ]);
    expect(await title()).toBe('First');
  });

  test('is forgotten after 10,000 others', () => {
    const keys = new AnsweredKeys();
    const answer = { version: '1-1', sequence: 1 };
    for (let i = 0; i <= 10_000; i++) keys.add({ key: `k${i}`, digest: 'x' }, answer);
    expect([0, 1].map((i) => keys.answerTo({ key: `k${i}`, digest: 'x' }))).toEqual([null, answer]);
  });

  test('of a request that was refused can be used again', async () => {
    const { send } = await startWith();
    expect((await send(titled(7), key)).status).toBe(422);
    expect((await send(titled('First'), key)).status).toBe(200);
  });
});

describe('a journal', () => {
  test('keeps changes, the version and keys over a restart', async () => {
    const disk = newDisk();
    const before = await startWith(disk);
    await before.send(titled('First'), { headers: { 'Idempotency-Key': 'k1' } });
    const kept = (await before.send(titled('Second'))).json();
    disk.stoppedBy = 'killed';
    disk.restart();
    const after = await startWith(disk);
    expect([await after.title(), after.content.version]).toEqual(['Second', kept.version]);
    const repeated = await after.send(titled('First'), { headers: { 'Idempotency-Key': 'k1' } });
    expect(repeated.json().sequence).toBe(1);
    expect((await after.send(titled('x'), { headers: { 'Idempotency-Key': 'k1' } })).status).toBe(422);
    expect((await after.send({ ...titled('Third'), previous: kept.version })).json().sequence).toBe(3);
  });

  test('without room is a 507, reads go on, and the next change may succeed', async () => {
    const disk = newDisk();
    const { send, title, adminPort, content } = await startWith(disk);
    await send(titled('First'));
    disk.faults.set(disk.calls, 'ENOSPC');
    const { status, json } = await send(titled('Second'));
    expect([status, json().error.name]).toEqual([507, 'InsufficientStorageError']);
    expect(await title()).toBe('First');
    expect((await send(titled('Third'))).json()).toEqual({ version: content.version, sequence: 2 });
    expect(await title()).toBe('Third');
    expect((await askServer(adminPort, '/_ready')).json()).toEqual({ ready: true });
  });

  test('that fails is a 503 for changes, and the reason is in /_ready and the metrics', async () => {
    const disk = newDisk();
    const { send, title, adminPort } = await startWith(disk);
    await send(titled('First'));
    disk.faults.set(disk.calls + 1, 'EIO');
    const { status, json } = await send(titled('Second'));
    expect([status, json().error.message]).toEqual([
      503,
      expect.stringMatching(/^The changes are not applied: writing the journal .* failed: EIO/),
    ]);
    expect((await send(titled('Third'))).status).toBe(503);
    expect(await title()).toBe('First');
    const ready = (await askServer(adminPort, '/_ready')).json();
    expect(ready).toEqual({
      ready: true,
      journal: expect.stringContaining('accepts no more until it is opened again'),
    });
    const metrics = samples((await askServer(adminPort, '/_metrics')).body.toString());
    expect(metrics.get('lectern_journal_failed')).toBe(1);
    expect(metrics.get('lectern_changes_refused_total{reason="journal"}')).toBe(2);
  });

  test('does not open for another content', async () => {
    const disk = newDisk();
    const { send } = await startWith(disk);
    await send(titled('First'));
    disk.restart();
    const other = thingSnapshot({ title: { type: 'string' } }, []);
    const { version } = (await openShared(other)).summary;
    await expect(openJournaled(disk, other)).rejects.toThrow(`The content to serve has version ${version}`);
  });
});

test('metrics count batches, entries, refused batches and the bytes of the journal', async () => {
  const { send, adminPort } = await startWith(newDisk());
  const metrics = async () => samples((await askServer(adminPort, '/_metrics')).body.toString());
  expect((await metrics()).get('lectern_changes_sequence')).toBe(0);
  expect((await metrics()).has('lectern_changes_age_seconds')).toBe(false);
  const { changes } = titled('Changed');
  await send({ changes: [...changes, upsert('Two', 'two')] });
  await send(titled(7));
  await send({ ...titled('x'), previous: '1-1' });
  const after = await metrics();
  const figure = (name: string) => after.get(`lectern_changes_${name}`);
  expect(['batches_total', 'entries_total', 'sequence'].map(figure)).toEqual([1, 2, 1]);
  expect(['invalid', 'conflict', 'journal'].map((reason) => figure(`refused_total{reason="${reason}"}`))).toEqual([
    1, 1, 0,
  ]);
  expect(figure('age_seconds')).toBeLessThan(60);
  expect(after.get('lectern_journal_bytes')).toBeGreaterThan(100);
});
