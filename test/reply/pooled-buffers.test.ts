// Replies are written into pooled buffers. The bytes of one reply never appear in another.
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { etagOf, sendReply } from '../../src/http/send.ts';
import { flushReplies } from '../../src/http/write-batching.ts';
import { acquireBuffer, copyOut, isPooled, releaseBuffer } from '../../src/query/reply/reply-memory.ts';
import { caseCount } from '../support/cases.ts';
import { openShared } from '../support/open-shared.ts';
import { start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

describe('a pooled buffer', () => {
  test('is reused once after it is released, however often it is released', () => {
    const buffer = acquireBuffer(20_000);
    const body = buffer.subarray(0, 20_000);
    expect(isPooled(body)).toBe(true);
    releaseBuffer(body);
    releaseBuffer(body);
    releaseBuffer(buffer);
    expect(isPooled(body)).toBe(false);
    const [next, other] = [acquireBuffer(20_000), acquireBuffer(20_000)];
    expect(next.buffer).toBe(buffer.buffer);
    expect(other.buffer).not.toBe(buffer.buffer);
  });

  test('is released when its bytes are copied out, whatever their length', () => {
    for (const length of [9000, 16_384, 65_536, 2 ** 20]) {
      const body = acquireBuffer(length).fill('b').subarray(0, length);
      const copy = copyOut(body);
      expect(copy.equals(Buffer.alloc(length, 'b'))).toBe(true);
      expect(copy.buffer.byteLength).toBe(length);
      expect(isPooled(body) || isPooled(copy)).toBe(false);
      expect(copyOut(copy)).toBe(copy);
    }
  });

  test('holds no cached body', async () => {
    const content = await openShared('data/demo');
    const url = '/api/articles?populate=*&sort=title';
    const [first, second, third] = [await content.answer(url), await content.answer(url), await content.answer(url)];
    expect([first, second, third].map(({ body }) => isPooled(body))).toEqual([true, false, false]);
    expect(third.body).toBe(second.body);
  });

  test('is released if another reply is sent instead of its body', () => {
    const sent: unknown[] = [];
    const response = {
      writeHead: (status: number) => sent.push(status),
      end: (body: Buffer) => sent.push(body.toString()),
      socket: null,
    } as unknown as ServerResponse;
    const refusal = { status: 503, headers: {}, body: Buffer.from('later') };
    const refuseBody = () => refusal;
    for (const status of [200, 404]) {
      const body = acquireBuffer(20_000);
      const incoming = { method: 'GET', headers: {} } as IncomingMessage;
      expect(sendReply(incoming, response, { status, headers: {}, body }, ['A', 'b'], { refuseBody })).toBe(503);
      expect(isPooled(body)).toBe(false);
    }
    flushReplies();
    expect(sent).toEqual([503, 503, 'later', 'later']);
  });

  test('is kept for reuse in bounded number', () => {
    const buffers = Array.from({ length: 100 }, () => acquireBuffer(2 ** 20));
    for (const buffer of buffers) releaseBuffer(buffer);
    const known = new Set(buffers.map(({ buffer }) => buffer));
    const again = Array.from({ length: 100 }, () => acquireBuffer(2 ** 20));
    expect(again.filter(({ buffer }) => known.has(buffer)).length).toBeLessThanOrEqual(4);
  });
});

/** The requests of each client are drawn from the seed. Only their order depends on the sockets. */
const seed = 20261122;

const queries = [
  'articles?populate=*&pagination[pageSize]=',
  'articles?populate[author][populate]=*&sort=title&pagination[pageSize]=',
  'authors?populate[articles][fields]=title&pagination[pageSize]=',
  'categories?pagination[pageSize]=',
];

test('each client gets its whole reply while others read slowly, disconnect or ask for other codings', async () => {
  const content = await openShared('data/demo', { cacheBytes: 0 });
  const expected = new Map<string, Buffer>();
  const pick = (random: Random) =>
    `/api/${random.pick(queries)}${random.integer(1, 59)}&pagination[page]=${random.integer(1, 2)}`;
  const { port } = await start({}, content);
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const statuses = new Map<string, number>();

  const ask = async (random: Random): Promise<void> => {
    const path = pick(random);
    if (!expected.has(path)) expected.set(path, copyOut((await content.answer(path)).body));
    const body = expected.get(path)!;
    const etag = etagOf({ status: 200, headers: {}, body }, null);
    const way = random.integer(0, 6);
    if (way === 0) return leaveEarly(port, path, random);
    const headers: Record<string, string> = {};
    if (way === 1) headers['if-none-match'] = etag;
    if (way === 2) headers['accept-encoding'] = random.pick(['gzip', 'br']);
    const method = way === 3 ? 'HEAD' : 'GET';
    const answer = await asked(port, path, { method, headers, agent }, way === 4);
    const label = `${answer.status} ${method} ${answer.coding ?? ''}`;
    statuses.set(label, (statuses.get(label) ?? 0) + 1);
    if (method === 'HEAD' || answer.status === 304) return expect(answer.bytes.length).toBe(0);
    expect(answer.status).toBe(200);
    const decode = { gzip: gunzipSync, br: brotliDecompressSync }[answer.coding ?? ''] ?? ((bytes: Buffer) => bytes);
    const bytes = decode(answer.bytes);
    expect(bytes.equals(body), `${path} ${label}`).toBe(true);
    if (!answer.coding) expect(answer.etag).toBe(etag);
  };
  const askMany = async (client: number) => {
    const random = new Random(seed + client);
    for (let i = 0; i < caseCount(30, 6); i++) await ask(random);
  };
  await Promise.all(Array.from({ length: 24 }, (_, client) => askMany(client)));
  agent.destroy();
  const labels = [...statuses.keys()].map((label) => label.trim()).sort();
  expect(labels).toEqual(['200 GET', '200 GET br', '200 GET gzip', '200 HEAD', '304 GET']);
});

/** Pipelines a few requests and disconnects at the first bytes of the reply. */
function leaveEarly(port: number, path: string, random: Random): Promise<void> {
  const [count, isReset] = [random.integer(1, 3), random.next() < 0.5];
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count)),
    );
    socket.on('error', () => {}).on('close', () => resolve());
    socket.once('data', () => (isReset ? socket.resetAndDestroy() : socket.destroy()));
  });
}

interface Answer {
  status: number;
  etag: string | undefined;
  coding: string | undefined;
  bytes: Buffer;
}

function asked(port: number, path: string, options: object, slowly: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, ...options }, async (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) {
        pieces.push(piece);
        if (slowly) await new Promise((after) => setTimeout(after, 2));
      }
      const { etag, 'content-encoding': coding } = response.headers;
      resolve({ status: response.statusCode!, etag, coding, bytes: Buffer.concat(pieces) });
    });
    const fail = (error: NodeJS.ErrnoException) => {
      // the server may close an idle connection at the moment of its reuse
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(asked(port, path, options, slowly));
      else reject(error);
    };
    sent.on('error', fail).end();
  });
}
