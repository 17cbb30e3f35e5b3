// Memory that one reply after another is written into: nobody's bytes may turn up in another's reply.
import { randomInt } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { etagOf } from '../src/http/etag.ts';
import { open } from '../src/index.ts';
import { acquireBuffer, copyOut, isPooled, releaseBuffer } from '../src/reply/buffer-pool.ts';
import { start, stopServersAfterEach } from './support/server.ts';

stopServersAfterEach();

describe('a room', () => {
  test('is lent again when it has been given back, and only once', () => {
    const room = acquireBuffer(20_000);
    const body = room.subarray(0, 20_000);
    expect(isPooled(body)).toBe(true);
    releaseBuffer(body);
    releaseBuffer(body);
    releaseBuffer(room);
    expect(isPooled(body)).toBe(false);
    const [next, other] = [acquireBuffer(20_000), acquireBuffer(20_000)];
    expect(next.buffer).toBe(room.buffer);
    expect(other.buffer).not.toBe(room.buffer);
  });

  test('is given back by one who takes a copy, whatever the size of what stands in it', () => {
    for (const length of [9000, 16_384, 65_536, 2 ** 20]) {
      const body = acquireBuffer(length).fill('b').subarray(0, length);
      const copy = copyOut(body);
      expect(copy.equals(Buffer.alloc(length, 'b'))).toBe(true);
      expect(copy.buffer.byteLength).toBe(length);
      expect(isPooled(body) || isPooled(copy)).toBe(false);
      expect(copyOut(copy)).toBe(copy);
    }
  });

  test('is not what a body stands in that is kept', async () => {
    const content = await open('data/demo');
    const url = '/api/articles?populate=*&sort=title';
    const [first, second, third] = [await content.answer(url), await content.answer(url), await content.answer(url)];
    expect([first, second, third].map(({ body }) => isPooled(body))).toEqual([true, false, false]);
    expect(third.body).toBe(second.body);
  });

  test('is kept ready in bounded number', () => {
    const rooms = Array.from({ length: 100 }, () => acquireBuffer(2 ** 20));
    for (const room of rooms) releaseBuffer(room);
    const known = new Set(rooms.map(({ buffer }) => buffer));
    const again = Array.from({ length: 100 }, () => acquireBuffer(2 ** 20));
    expect(again.filter(({ buffer }) => known.has(buffer)).length).toBeLessThanOrEqual(4);
  });
});

const queries = [
  'articles?populate=*&pagination[pageSize]=',
  'articles?populate[author][populate]=*&sort=title&pagination[pageSize]=',
  'authors?populate[articles][fields]=title&pagination[pageSize]=',
  'categories?pagination[pageSize]=',
];

test('every reply is whole and the one that was asked for, whoever reads slowly, goes away or asks otherwise', async () => {
  const content = await open('data/demo', { cacheBytes: 0 });
  const expected = new Map<string, Buffer>();
  const pick = () =>
    `/api/${queries[randomInt(queries.length)]}${randomInt(1, 60)}&pagination[page]=${randomInt(1, 3)}`;
  const { port } = await start({}, content);
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const statuses = new Map<string, number>();

  const ask = async (): Promise<void> => {
    const path = pick();
    if (!expected.has(path)) expected.set(path, copyOut((await content.answer(path)).body));
    const body = expected.get(path)!;
    const etag = etagOf({ status: 200, headers: {}, body }, null);
    const way = randomInt(7);
    if (way === 0) return leaveEarly(port, path);
    const headers: Record<string, string> = {};
    if (way === 1) headers['if-none-match'] = etag;
    if (way === 2) headers['accept-encoding'] = ['gzip', 'br'][randomInt(2)];
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
  const askMany = async () => {
    for (let i = 0; i < 60; i++) await ask();
  };
  await Promise.all(Array.from({ length: 24 }, askMany));
  agent.destroy();
  const labels = [...statuses.keys()].map((label) => label.trim()).sort();
  expect(labels).toEqual(['200 GET', '200 GET br', '200 GET gzip', '200 HEAD', '304 GET']);
}, 60_000);

/** Sends a few requests at once, takes the beginning of what comes, and is gone. */
function leaveEarly(port: number, path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(randomInt(1, 4))),
    );
    socket.on('error', () => {}).on('close', () => resolve());
    socket.once('data', () => (randomInt(2) ? socket.destroy() : socket.resetAndDestroy()));
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
    sent.on('error', reject).end();
  });
}
