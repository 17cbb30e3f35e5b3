import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type ClientRequest, request as createRequest } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { ChangeAnswer, ChangeRequest } from '../../src/content/live/change-request.ts';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import { ForbiddenError } from '../../src/core/errors.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { type ImportAnswer, importChanges, importLimits } from '../../src/server/admin/import-changes.ts';
import { piecesOf } from '../../src/server/admin/read-request.ts';
import { blocksOf, pageAt, project } from '../documents/pages.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { caseCount } from '../support/cases.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';
import { openShared } from '../support/open-shared.ts';
import { exchange, startEmpty, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** `POST /_changes` with one change a line. */

stopServersAfterEach();

const thing = 'api::thing.thing';
const friend = { type: 'relation', relation: 'manyToOne', target: thing };
const things = thingSnapshot({ title: { type: 'string' }, friend }, [{ documentId: 'one', title: 'One' }]);
const upsert = (documentId: string, title: unknown = documentId, more: object = {}) =>
  JSON.stringify({ upsert: thing, entry: { documentId, title, ...more } });
const upserts = (count: number) => Array.from({ length: count }, (_, i) => upsert(`d${i + 1}`));
const key = (name: string) => ({ 'Idempotency-Key': name });
const sent = { Authorization: 'Bearer editor', 'Content-Type': 'application/x-ndjson' };

async function start(disk?: SimulatedDisk, settings: object = {}, snapshot: JsonSnapshot | string = things) {
  const admin = { tokens: [{ name: 'editor', sha256: sha256('editor'), rights: ['changes'] }] };
  const running = await startEmpty({ adminPort: 0, admin, ...settings });
  const { content, opened } = disk
    ? await openJournaled(disk, snapshot)
    : { content: await openShared(snapshot, { public: true }), opened: null };
  const contents = new Contents(createEntry({ name: 'main', content, error: null, put: null }));
  running.server.serveContents({ contents, areChosen: false, stored: null, live: new LiveContents(contents, opened) });
  const { port, adminPort } = running;
  const post = (body: string | Buffer, headers: object = {}, query = '') =>
    askServer(adminPort, `/_changes${query}`, { method: 'POST', headers: { ...sent, ...headers }, body });
  return {
    ...running,
    content,
    contents,
    post,
    /** Sends lines in batches of ten. */
    send: (lines: readonly string[], headers: object = {}) => post(lines.join('\n'), headers, '?lines=10'),
    /** Begins an import in batches of ten, whose lines are written later. */
    begin: (headers: object = {}): { request: ClientRequest; answer: Promise<HttpAnswer> } => {
      const options = { host: '127.0.0.1', port: adminPort, path: '/_changes?lines=10', method: 'POST', agent: false };
      const request = createRequest({ ...options, headers: { ...sent, ...headers } });
      const answer = once(request, 'response').then(async ([response]) => {
        const body = Buffer.concat(await (response as IncomingMessage).toArray());
        return { status: response.statusCode, headers: response.headers, body, json: () => JSON.parse(String(body)) };
      });
      answer.catch(() => {});
      request.on('error', () => {});
      return { request, answer };
    },
    /** The titles of all things but the first, in their order. */
    titles: async (): Promise<string[]> => {
      const { json } = await askServer(port, '/api/things?sort=id&pagination[pageSize]=100');
      return json()
        .data.map(({ title }: { title: string }) => title)
        .slice(1);
    },
  };
}

const linesOf = ({ json }: HttpAnswer) =>
  (json().batches ?? json().error.details.batches).map(
    ({ number, firstLine, lastLine, sequence }: ImportAnswer['batches'][number]) =>
      `${number}: ${firstLine}-${lastLine} is ${sequence}`,
  );
const messageOf = ({ status, json }: HttpAnswer) => [status, json().error.message];

describe('an import', () => {
  test('is applied in batches, which the answer lists', async () => {
    const { send, titles, content } = await start();
    const answer = await send(upserts(25));
    const [epoch] = content.version.split('-');
    const batch = (number: number, firstLine: number, lastLine: number) => ({
      ...{ number, firstLine, lastLine, version: `${epoch}-${number}`, sequence: number, unlinked: 0 },
    });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { batches: [batch(1, 1, 10), batch(2, 11, 20), batch(3, 21, 25)] },
    ]);
    expect(await titles()).toEqual(Array.from({ length: 25 }, (_, i) => `d${i + 1}`));
  });

  test('takes each kind of change, in the order of the lines', async () => {
    const { send, titles } = await start();
    const patch = JSON.stringify({ patch: thing, documentId: 'd2', set: { title: 'patched' } });
    const removal = JSON.stringify({ delete: thing, documentId: 'd1' });
    expect((await send([...upserts(10), patch, removal, upsert('d3', 'again')])).status).toBe(200);
    expect(await titles()).toEqual(['patched', 'again', ...Array.from({ length: 7 }, (_, i) => `d${i + 4}`)]);
  });

  test.each([
    ['line feeds', (lines: string[]) => `${lines.join('\n')}\n`],
    ['no line feed at the end', (lines: string[]) => lines.join('\n')],
    ['carriage returns', (lines: string[]) => `${lines.join('\r\n')}\r\n`],
    ['a byte order mark', (lines: string[]) => `\ufeff${lines.join('\n')}`],
  ])('may have %s', async (_, join) => {
    const { post } = await start();
    const answer = await post(join(upserts(12)), {}, '?lines=10');
    expect([answer.status, linesOf(answer)]).toEqual([200, ['1: 1-10 is 1', '2: 11-12 is 2']]);
  });

  test('may have empty lines, which count as lines and not as changes', async () => {
    const { post } = await start();
    const answer = await post(`\n${upserts(10).join('\n \t\n')}\n\n${upsert('last')}\n\n`, {}, '?lines=10');
    expect(linesOf(answer)).toEqual(['1: 2-20 is 1', '2: 22-22 is 2']);
    expect((await post('\n\n')).json()).toEqual({ batches: [] });
    expect((await post('')).json()).toEqual({ batches: [] });
  });

  test('may come in pieces of any size', async () => {
    const { begin, titles } = await start();
    const { request, answer } = begin();
    for (const byte of Buffer.from(`\ufeff${upsert('d1', 'é 😀')}\r\n${upsert('d2')}`)) {
      request.write(Buffer.from([byte]));
      await nextTurn();
    }
    request.end();
    expect(linesOf(await answer)).toEqual(['1: 1-2 is 1']);
    expect(await titles()).toEqual(['é 😀', 'd2']);
  });

  test.each(['application/x-ndjson', 'application/ndjson; charset=utf-8', 'Application/JSONL'])(
    'has the type %s',
    async (type) => {
      const { post } = await start();
      expect((await post(upsert('a'), { 'Content-Type': type })).json().batches).toHaveLength(1);
    },
  );

  test('has batches of 10,000 changes by default', async () => {
    const { post } = await start();
    const lines = Array.from({ length: 10_001 }, () =>
      JSON.stringify({ delete: thing, documentId: 'x', ifExists: true }),
    );
    expect(linesOf(await post(lines.join('\n')))).toEqual(['1: 1-10000 is 1', '2: 10001-10001 is 2']);
  });

  test('lists references without a link, by line', async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const model = thingSnapshot({ title: { type: 'string' }, friend }, [{ documentId: 'one', locale: 'en' }], {
      settings: { locales: ['en', 'fr'].map((code) => ({ code, name: code })) },
    }) as unknown as { contentTypes: object[] };
    const contentTypes = model.contentTypes.map((type) => ({ ...type, ...localized }));
    const { send } = await start(undefined, {}, { ...model, contentTypes } as unknown as JsonSnapshot);
    const { json } = await send([
      '',
      ...Array.from({ length: 14 }, (_, i) => upsert(`d${i}`, 'x', { locale: 'fr', friend: 'one' })),
    ]);
    expect(json().batches.map(({ unlinked }: { unlinked: number }) => unlinked)).toEqual([10, 4]);
    expect(json().unlinked).toMatchObject({ count: 14, references: { length: 10 } });
    expect(json().unlinked.references[9].location).toBe('line 11, entry, attribute friend');
  });

  test('lets other changes go between its batches', async () => {
    const { begin, post, titles } = await start();
    const { request, answer } = begin();
    request.write(`${upserts(10).join('\n')}\n${upsert('d11')}\n`);
    await waitFor(async () => expect(await titles()).toHaveLength(10));
    const other = await post(JSON.stringify({ changes: [] }), { 'Content-Type': 'application/json' });
    expect(other.json().sequence).toBe(2);
    request.end(upsert('d12'));
    expect(linesOf(await answer)).toEqual(['1: 1-10 is 1', '2: 11-12 is 3']);
  });
});

test('the lines of docs/live-content.md change the demo, and the answer has the members that it lists', async () => {
  const blocks = blocksOf(pageAt('docs/live-content.md'));
  const { text } = blocks.find((block) => block.text.startsWith('{ "upsert"') && block.text.includes('\n{ "delete"'))!;
  const listed = blocks.find((block) => block.text.includes('"firstLine"'))!;
  const { post, port } = await start(undefined, {}, join(project, 'data/demo'));
  const answer = await post(text);
  const [batch] = answer.json().batches;
  expect([answer.status, Object.keys(batch)]).toEqual([200, Object.keys(JSON.parse(listed.text).batches[0])]);
  const city = (await askServer(port, '/api/categories/cities?populate=parent')).json().data;
  expect([city.parent.name, (await askServer(port, '/api/categories/peat-bogs')).status]).toEqual(['Travel', 404]);
});

describe('an import stops at a batch that fails, and names it:', () => {
  test.each<[string, string, number, string]>([
    ['a line that is not JSON', '{"upsert": }', 400, 'body: 13:12: invalid JSON: expected a value'],
    ['half a line', '{"upsert"', 400, 'body: 13:10: invalid JSON: expected ":" after the key'],
    ['two values in a line', '{} {}', 400, 'body: 13:4: invalid JSON: expected the end of the text'],
    ['a key twice', '{"upsert": 1, "upsert": 2}', 400, 'body: 13:15: duplicate key "upsert"'],
    ['a deep line', '['.repeat(300), 400, 'body: 13:257: the JSON is nested deeper than 256 levels'],
    ['many values', `[${'0,'.repeat(2_000_001)}0]`, 400, 'the JSON holds more than 2,000,000 values'],
    ['no object', '7', 422, 'line 13: expected an object with "upsert", "patch" or "delete", not 7'],
    ['another member', '{"previous": "1-1"}', 422, 'line 13: expected an object with "upsert"'],
    ['a wrong value', upsert('wrong', 7), 422, 'line 13, entry, attribute title'],
    ['a missing document', upsert('a', 'a', { friend: 'nobody' }), 422, 'line 13, entry, attribute friend'],
    [
      'a wrong patch',
      `{"patch": "${thing}", "documentId": "none", "set": {}}`,
      422,
      'line 13: no thing with documentId',
    ],
    [
      'a condition',
      `{"upsert": "${thing}", "entry": {"documentId": "d1"}, "ifAbsent": true}`,
      409,
      'line 13: "ifAbsent" expects',
    ],
  ])('%s', async (_, wrong, status, message) => {
    const { send, titles } = await start();
    const answer = await send([...upserts(11), '', wrong, ...upserts(30).slice(11)]);
    const { error } = answer.json();
    const place = { number: 2, firstLine: 11, lastLine: status === 400 ? 13 : 21 };
    expect([answer.status, error.message]).toEqual([status, expect.stringContaining(message)]);
    expect(error.message).toMatch(new RegExp(`^Batch 2 \\(lines 11 to ${place.lastLine}\\): `));
    expect([error.details.batch, linesOf(answer)]).toEqual([place, ['1: 1-10 is 1']]);
    if (status === 422) expect(error.details).toMatchObject({ problems: [expect.stringContaining(message)], count: 1 });
    else expect(error.details.line).toBe(13);
    expect(await titles()).toHaveLength(10);
  });

  test('text that is not UTF-8', async () => {
    const { post } = await start();
    const body = Buffer.concat([Buffer.from(`${upsert('a')}\n"`), Buffer.from([0xe9]), Buffer.from('"')]);
    expect(messageOf(await post(body))).toEqual([400, 'Batch 1 (lines 1 to 2): body: line 2 is not UTF-8']);
  });

  test('a document of a later batch, which the same batch may have', async () => {
    const { send, titles } = await start();
    const [first, ...others] = upserts(11);
    const refers = upsert('first', 'first', { friend: 'd11' });
    const later = await send([refers, ...others.slice(0, 9), others[9]]);
    expect(messageOf(later)).toEqual([422, expect.stringContaining('line 1, entry, attribute friend')]);
    expect(await titles()).toEqual([]);
    expect((await send([refers, others[9], first])).status).toBe(200);
  });

  test('a full disk', async () => {
    const disk = newDisk();
    const { begin, titles } = await start(disk);
    const { request, answer } = begin();
    request.write(`${upserts(10).join('\n')}\n`);
    await waitFor(async () => expect(await titles()).toHaveLength(10));
    disk.faults.set(disk.calls, 'ENOSPC');
    request.end(upsert('d11'));
    const { status, json } = await answer;
    expect([status, json().error.name, json().error.details.batches]).toMatchObject([
      507,
      'InsufficientStorageError',
      { length: 1 },
    ]);
    expect(json().error.message).toMatch(/^Batch 2 \(lines 11 to 11\): The changes are not applied: no room/);
  });

  test('many empty lines', async () => {
    const piece = Buffer.from(`${' '.repeat(2 ** 20 - 1)}\n`);
    const body = Readable.from(Array.from({ length: 3 }, () => piece));
    const request = Object.assign(body, { headers: {}, socket: new PassThrough() }) as unknown as IncomingMessage;
    await expect(
      importChanges(request, { change: () => Promise.reject() }, { key: null, lines: 10 }),
    ).rejects.toMatchObject({
      status: 400,
      message: 'Batch 1: body: line 2: the file has more than 1048576 bytes of empty lines',
    });
  });
});

describe('an import is refused', () => {
  test.each<[string, object, string, number, string]>([
    ['with an encoding', { 'Content-Encoding': 'gzip' }, '', 415, 'without Content-Encoding'],
    ['of another type', { 'Content-Type': 'text/plain' }, '', 415, 'Send JSON'],
    ['with a version', {}, '?previous=1-1', 400, '"previous" is unknown or given twice; only content, lines are read'],
    ['in empty batches', {}, '?lines=0', 400, 'lines must be a number from 1 to 10000, is "0"'],
    ['in batches that are too large', {}, '?lines=10001', 400, 'lines must be a number from 1 to 10000, is "10001"'],
    ['in batches of no number', {}, '?lines=ten', 400, 'lines must be a number from 1 to 10000, is "ten"'],
    ['with an empty key', key(''), '', 400, 'The Idempotency-Key has 0 characters'],
    ['for an unknown content', {}, '?content=x', 404, 'There is no content "x"'],
  ])('%s', async (_, headers, query, status, message) => {
    const { post, titles } = await start();
    expect(messageOf(await post(upsert('a'), headers, query))).toEqual([status, expect.stringContaining(message)]);
    expect(await titles()).toEqual([]);
  });

  test('when it says that it takes more than 1 GiB, before it is read', async () => {
    const { adminPort } = await start();
    const head =
      'POST /_changes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer editor\r\nContent-Type: application/jsonl\r\n';
    const reply = await exchange(adminPort, `${head}Content-Length: ${2 ** 30 + 1}\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1.1 413 [\s\S]*takes more than 1073741824 bytes/);
  });

  test('when a line takes more than 32 MiB', async () => {
    const { post, titles } = await start();
    const { status, json } = await post(`${upsert('a')}\n${' '.repeat(importLimits.lineBytes + 1)}`);
    const message = 'Batch 1 (lines 1 to 1): body: line 2 is larger than 33554432 bytes';
    expect([status, json().error.message]).toEqual([400, message]);
    expect(await titles()).toEqual([]);
  });

  test('while others hold 256 MiB', async () => {
    const { begin, post } = await start();
    const others = Array.from({ length: 4 }, () => begin());
    for (const { request } of others) request.write('\n');
    const message = 'The requests that are read or wait may take 268435456 bytes together: try again in a moment';
    await waitFor(async () => expect(messageOf(await post(upsert('a')))).toEqual([503, `${message}`]));
    for (const { request } of others) request.destroy();
    await waitFor(async () => expect((await post(upsert('a'))).status).toBe(200));
  });
});

describe('an import with an Idempotency-Key', () => {
  test('that broke off goes on with the batch after the last one that was applied', async () => {
    const disk = newDisk();
    const before = await start(disk);
    const { request } = before.begin(key('k'));
    request.write(`${upserts(24).join('\n')}\n`);
    await waitFor(async () => expect(await before.titles()).toHaveLength(20));
    request.destroy();
    await waitFor(() => expect(before.lines.at(-1)).toMatchObject({ level: 30, msg: 'the client broke off' }));
    expect(await before.titles()).toHaveLength(20);
    // another writer goes between, and the server starts anew
    await before.post(JSON.stringify({ changes: [] }), { 'Content-Type': 'application/json' });
    disk.stoppedBy = 'killed';
    disk.restart();
    const { send, titles } = await start(disk);
    const answer = await send(upserts(24), key('k'));
    expect([answer.status, linesOf(answer)]).toEqual([200, ['1: 1-10 is 1', '2: 11-20 is 2', '3: 21-24 is 4']]);
    expect(await titles()).toHaveLength(24);
    expect((await send(upserts(24), key('k'))).json()).toEqual(answer.json());
  });

  test('may be mended where it failed, but not in a batch that was applied', async () => {
    const { send } = await start();
    const lines = upserts(25);
    expect((await send([...lines.slice(0, 24), '{'], key('k'))).status).toBe(400);
    const other = await send([...lines.slice(0, 10), upsert('other'), ...lines.slice(11)], key('k'));
    expect(messageOf(other)).toEqual([
      422,
      'Batch 2 (lines 11 to 20): The Idempotency-Key "k" was sent with other lines in this batch. Use a new key',
    ]);
    expect([other.json().error.name, linesOf(other)]).toEqual(['IdempotencyError', ['1: 1-10 is 1']]);
    expect(linesOf(await send(lines, key('k')))).toEqual(['1: 1-10 is 1', '2: 11-20 is 2', '3: 21-25 is 3']);
  });

  test('lists the references of batches that were applied before', async () => {
    const { send } = await start();
    const lines = [...upserts(9), '', upsert('x', 'x', { friend: 'd1' })];
    const first = await send(lines, key('k'));
    expect((await send(lines, key('k'))).json()).toEqual(first.json());
  });

  test('has other keys than requests and other imports', async () => {
    const { send, post } = await start();
    await send(upserts(11), key('k'));
    for (const name of ['k', 'k1', 'k2']) {
      const other = await post(JSON.stringify({ changes: [] }), { 'Content-Type': 'application/json', ...key(name) });
      expect(other.status).toBe(200);
    }
    expect((await send(upserts(1), key('k1'))).status).toBe(200);
  });
});

describe('a body', () => {
  test('that turns out to be too long is a 413', async () => {
    const pieces = [4, 4, 4].map((bytes) => Buffer.alloc(bytes));
    const request = Object.assign(Readable.from(pieces), { headers: {} }) as unknown as IncomingMessage;
    await expect(Readable.from(piecesOf(request, 12)).toArray()).resolves.toHaveLength(3);
    const longer = Object.assign(Readable.from([...pieces, pieces[0]]), { headers: {} }) as unknown as IncomingMessage;
    await expect(Readable.from(piecesOf(longer, 12)).toArray()).rejects.toMatchObject({ status: 413 });
  });

  const answer: ChangeAnswer = { version: '1-1', sequence: 1 };

  /** Imports a body whose pieces are made when they are asked for, and stops the writer at its first batch. */
  async function importHeld(pieces: Iterable<Buffer>, lines: number) {
    let read = 0;
    const body = Readable.from(
      (function* () {
        for (const piece of pieces) {
          read += piece.length;
          yield piece;
        }
      })(),
      { objectMode: false },
    );
    const sizes: number[] = [];
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const change = async ({ given }: ChangeRequest) => {
      sizes.push((given as unknown[]).length);
      await held;
      return answer;
    };
    const request = Object.assign(body, {
      headers: {},
      socket: { setTimeout: () => {} },
    }) as unknown as IncomingMessage;
    const done = importChanges(request, { change }, { key: null, lines });
    while (sizes.length === 0) await nextTurn();
    for (let i = 0; i < 100; i++) await nextTurn();
    const readWhileHeld = read;
    release();
    await done;
    return { readWhileHeld, read, sizes };
  }

  test('has the lines and batches of its text, whatever its pieces are', async () => {
    for (let seed = 1; seed <= caseCount(60, 15); seed++) {
      const random = new Random(seed);
      const draw = (count: number) => random.integer(0, count - 1);
      const lines = Array.from(
        { length: draw(30) },
        (_, i) => ['', ' \t', `${i}`, `{"é": ${i}}`, `"${'x'.repeat(draw(40))}"`][draw(5)],
      );
      const text = (draw(2) ? '\ufeff' : '') + lines.join(draw(2) ? '\n' : '\r\n') + (draw(2) ? '\n' : '');
      const maxChanges = 1 + draw(6);
      const expected: unknown[] = [];
      const full = lines.flatMap((line, i) => (line.trim() === '' ? [] : [{ line: i + 1, value: JSON.parse(line) }]));
      while (full.length > 0) {
        const batch = full.splice(0, maxChanges);
        expected.push([batch[0].line, batch.at(-1)!.line, batch.map(({ value }) => value)]);
      }
      const bytes = Buffer.from(text);
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) pieces.push(bytes.subarray(at, (at += 1 + draw(20))));
      const given: unknown[] = [];
      const change = async (request: ChangeRequest) => {
        given.push(request.given);
        return answer;
      };
      const socket = { setTimeout: () => {} };
      const request = Object.assign(Readable.from(pieces), { headers: {}, socket }) as unknown as IncomingMessage;
      const { batches } = await importChanges(request, { change }, { key: null, lines: maxChanges });
      const found = batches.map(({ firstLine, lastLine }, i) => [firstLine, lastLine, given[i]]);
      expect(found, `seed ${seed}`).toEqual(expected);
    }
  });

  test('of which a change is forbidden is a 403 that names its line', async () => {
    const request = Object.assign(Readable.from([Buffer.from('\n1\n2\n')]), {
      headers: {},
    }) as unknown as IncomingMessage;
    const change = () => Promise.reject(new ForbiddenError('Not with this right: changes[1] changes a role'));
    await expect(importChanges(request, { change }, { key: null, lines: 10 })).rejects.toMatchObject({
      status: 403,
      message: 'Batch 1 (lines 2 to 3): Not with this right: line 3 changes a role',
    });
  });

  test('is read no faster than its batches are applied', async () => {
    const piece = Buffer.from(`${upserts(200).join('\n')}\n`);
    const { readWhileHeld, read, sizes } = await importHeld(Array(200).fill(piece), 400);
    // two pieces with the batch, those that the stream holds, and the next
    expect(readWhileHeld).toBeLessThan(20 * piece.length);
    expect([read, sizes]).toEqual([200 * piece.length, Array(100).fill(400)]);
  });

  test('has batches that end with the line that reaches 32 MiB', async () => {
    const line = Buffer.from(`${upsert('a', 'x'.repeat(3 * 2 ** 20))}\n`);
    const { sizes } = await importHeld(Array(25).fill(line), 10_000);
    expect(sizes).toEqual([11, 11, 3]);
  });

  test('has batches that end with the line that reaches 4,000,000 values', async () => {
    const line = Buffer.from(`[${'0,'.repeat(1_500_000)}0]\n`);
    const { sizes } = await importHeld(Array(4).fill(line), 10_000);
    expect(sizes).toEqual([3, 1]);
  });

  test('may pause for timeouts.request while a batch waits, and not longer otherwise', async () => {
    const { begin, contents, titles } = await start(undefined, { timeouts: { headers: 100, request: 300 } });
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    contents.onChange(({ kind }) => (kind === 'apply' ? held : undefined));
    const { request, answer } = begin();
    request.write(`${upserts(10).join('\n')}\n`);
    await waitFor(async () => expect(await titles()).toHaveLength(10));
    await new Promise((resolve) => setTimeout(resolve, 900));
    release();
    request.write(`${upsert('d11')}\n`);
    request.end();
    expect((await answer).status).toBe(200);
    const pausing = begin();
    pausing.request.write(upsert('d12'));
    await new Promise((resolve) => pausing.request.once('close', resolve));
    expect(await titles()).toHaveLength(11);
  });
});
