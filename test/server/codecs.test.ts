import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import zlib from 'node:zlib';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodecPool, codecs, maxCodecs, threadPoolSize } from '../../src/http/codec-pool.ts';
import { Codings } from '../../src/http/codings.ts';
import { createHandler, createMiddleware } from '../../src/http/content-handler.ts';
import { echo } from '../http/echo.ts';
import { askServer, closeServers, type HttpAnswer, listen } from '../support/http.ts';
import { samples, start, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** The number of concurrent codecs, their queue, and replies that are sent uncompressed. */

const counted = vi.hoisted(() => ({ alive: 0, most: 0, started: 0 }));

vi.mock('node:zlib', async (load) => {
  const original = (await load<{ default: typeof zlib }>()).default as any;
  const counting = (compress: (...all: any[]) => void) => {
    return (...all: any[]) => {
      counted.started++;
      counted.most = Math.max(counted.most, ++counted.alive);
      const done = all.pop();
      compress(...all, (...result: any[]) => {
        counted.alive--;
        done(...result);
      });
    };
  };
  const { brotliCompress, gzip, zstdCompress } = original;
  return {
    ...original,
    default: {
      ...original,
      brotliCompress: counting(brotliCompress),
      gzip: counting(gzip),
      ...(zstdCompress && { zstdCompress: counting(zstdCompress) }),
    },
  };
});

const decoders: Record<string, (body: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: (zlib as unknown as { zstdDecompressSync: typeof zlib.gunzipSync }).zstdDecompressSync,
};

function decoded({ headers, body }: HttpAnswer): string {
  const coding = headers['content-encoding'];
  return (coding === undefined ? body : decoders[coding](body)).toString();
}

beforeEach(() => {
  counted.started = counted.most = 0;
});

afterEach(closeServers);
stopServersAfterEach();

/** A text of its own for each URL. */
const textOf = (url: string) => `${url} `.repeat(3000);

function content(codings: Codings) {
  const answerPath = (path: string) => ({ status: 200, headers: { A: 'b' }, body: Buffer.from(textOf(`/${path}`)) });
  return { ...echo, answerPath, codings };
}

/** Sends a request and disconnects at once. */
function askAndLeave(port: number, path: string, coding: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: ${coding}\r\n\r\n`;
      socket.write(head, () => socket.resetAndDestroy());
    });
    socket.on('error', () => {}).on('close', () => resolve());
  });
}

describe('concurrent codecs', () => {
  /** Sends 400 requests for distinct bodies in every coding. A third of the clients disconnect at once. */
  async function ask(ports: number[]): Promise<void> {
    const kinds = ['br', 'gzip', 'zstd'];
    const asking = Array.from({ length: 400 }, async (_, i) => {
      const port = ports[i % ports.length];
      const coding = kinds[i % kinds.length];
      if (i % 4 === 3) return askAndLeave(port, `/left/${i}`, coding);
      const answer = await askServer(port, `/body/${i}`, { headers: { 'Accept-Encoding': coding } });
      expect(decoded(answer)).toBe(textOf(`/body/${i}`));
      expect(answer.headers.vary).toContain('Accept-Encoding');
      expect(answer.headers.etag).toMatch(
        answer.headers['content-encoding'] ? /^"[\w-]{22}-(br|gzip|zstd)"$/ : /^"[\w-]{22}"$/,
      );
    });
    await Promise.all(asking);
    await waitFor(() => expect(codecs.figures).toMatchObject({ running: 0, waiting: 0 }));
  }

  test('are fewer than the threads, for all content of a process', async () => {
    const ports = [
      await listen(createHandler(content(new Codings(2 ** 20)))),
      await listen(createHandler(content(new Codings(0)))),
    ];
    await ask(ports);
    expect(counted.most).toBeGreaterThan(0);
    expect(counted.most).toBeLessThan(threadPoolSize(process.env.UV_THREADPOOL_SIZE));
    expect(counted.alive).toBe(0);
  });

  test('are as few behind an Express router', async () => {
    const app = express().use(createMiddleware(content(new Codings(2 ** 20))));
    const server = app.listen(0, '127.0.0.1');
    await waitFor(() => expect(server.listening).toBe(true));
    try {
      await ask([(server.address() as AddressInfo).port]);
    } finally {
      server.close().closeAllConnections();
    }
    expect(counted.most).toBeLessThan(threadPoolSize(process.env.UV_THREADPOOL_SIZE));
  });

  test.each([
    [undefined, 8, 3],
    ['', 8, 1],
    ['1', 8, 1],
    ['2', 8, 1],
    ['16', 8, 8],
    ['16', 2, 2],
    ['nonsense', 2, 1],
    ['100000', 10_000, 1023],
  ])('with UV_THREADPOOL_SIZE %s and %i processors are %i', (setting, processors, expected) => {
    expect(maxCodecs(threadPoolSize(setting), processors)).toBe(expected);
  });
});

/** A pool with one codec, whose compressions end when the test says so. */
function heldPool(waiting: number, waitingBytes = 1000) {
  const pool = new CodecPool({ running: 1, waiting, waitingBytes });
  const ends: (() => void)[] = [];
  const compress = () => new Promise<Buffer>((resolve) => ends.push(() => resolve(Buffer.from('z'))));
  return { pool, ends, compress };
}

const wanted = () => true;

describe('the compression queue', () => {
  test('rejects a body when it is full and accepts one after another has left', async () => {
    const { pool, ends, compress } = heldPool(2);
    const first = pool.compress(10, wanted, compress);
    for (let i = 0; i < 2; i++) expect(pool.compress(10, wanted, compress)).not.toBeNull();
    expect(pool.compress(10, wanted, compress)).toBeNull();
    expect(pool.figures).toEqual({ running: 1, waiting: 2, full: 1, gone: 0 });
    ends[0]();
    expect(await first).toEqual(Buffer.from('z'));
    expect(pool.figures).toEqual({ running: 1, waiting: 1, full: 1, gone: 0 });
    expect(pool.compress(10, wanted, compress)).not.toBeNull();
  });

  test('is limited in bytes but always accepts one body', () => {
    const { pool, compress } = heldPool(10, 1000);
    void pool.compress(5000, wanted, compress);
    expect(pool.compress(5000, wanted, compress)).not.toBeNull();
    expect(pool.compress(1, wanted, compress)).toBeNull();

    const other = heldPool(10, 1000);
    for (const bytes of [5000, 400, 600]) expect(other.pool.compress(bytes, wanted, other.compress)).not.toBeNull();
    expect(other.pool.compress(1, wanted, other.compress)).toBeNull();
  });

  test('starts bodies in order of arrival', async () => {
    const { pool, ends } = heldPool(10);
    const started: number[] = [];
    const all = [1, 2, 3].map((n) =>
      pool.compress(1, wanted, () => {
        started.push(n);
        return new Promise((resolve) => ends.push(() => resolve(Buffer.alloc(n))));
      }),
    );
    for (let i = 0; i < 3; i++) {
      expect(started).toHaveLength(i + 1);
      ends[i]();
      await all[i];
    }
    expect(started).toEqual([1, 2, 3]);
  });

  test('continues after a failed compression', async () => {
    const { pool } = heldPool(10);
    const failing = pool.compress(1, wanted, () => Promise.reject(new Error('no memory')));
    const next = pool.compress(1, wanted, async () => Buffer.from('next'));
    await expect(failing).rejects.toThrow('no memory');
    expect(await next).toEqual(Buffer.from('next'));
    expect(pool.figures).toMatchObject({ running: 0, waiting: 0 });
  });

  test('never starts a body whose clients have disconnected', async () => {
    const { pool, ends, compress } = heldPool(10);
    const first = pool.compress(1, wanted, compress);
    const unwanted = Array.from({ length: 5 }, () => pool.compress(1, () => false, compress));
    const last = pool.compress(1, wanted, compress);
    ends[0]();
    await first;
    expect(await Promise.all(unwanted)).toEqual(Array(5).fill(null));
    expect(ends).toHaveLength(2);
    ends[1]();
    expect(await last).toEqual(Buffer.from('z'));
    expect(pool.figures).toEqual({ running: 0, waiting: 0, full: 0, gone: 5 });
  });

  test('gives the slots of disconnected clients to others', async () => {
    const { pool, compress } = heldPool(2, 100);
    void pool.compress(1, wanted, compress);
    const gone = pool.compress(90, () => false, compress);
    expect(pool.compress(10, wanted, compress)).not.toBeNull();
    expect(pool.compress(90, wanted, compress)).not.toBeNull();
    expect(await gone).toBeNull();
    expect(pool.figures).toEqual({ running: 1, waiting: 2, full: 0, gone: 1 });
    expect(pool.compress(1, wanted, compress)).toBeNull();
  });
});

describe('equal bodies', () => {
  const body = Buffer.from('x'.repeat(5000));

  test('are compressed as long as one client is connected', async () => {
    const { pool, ends, compress } = heldPool(10);
    const codings = new Codings(2 ** 20, pool);
    const first = pool.compress(1, wanted, compress);
    const askers = [{ destroyed: false }, { destroyed: false }];
    const one = askers.map((asker) => codings.encode('gzip', 'one', body, asker));
    const left = askers.map(() => codings.encode('gzip', 'left', body, { destroyed: true }));
    askers[0].destroyed = true;
    ends[0]();
    await first;
    expect(zlib.gunzipSync((await one[1])!)).toEqual(body);
    expect(await Promise.all(left)).toEqual([null, null]);
    expect(counted.started).toBe(1);
    // the next request is served
    expect(zlib.gunzipSync((await codings.encode('gzip', 'left', body, askers[1]))!)).toEqual(body);
  });
});

describe('a full compression queue', () => {
  async function overloaded() {
    const { pool, ends, compress } = heldPool(1);
    const port = await listen(createHandler(content(new Codings(2 ** 20, pool))));
    const held = [pool.compress(1, wanted, compress), pool.compress(1, wanted, compress)];
    return { port, ends, held };
  }
  const br = { 'Accept-Encoding': 'br' };

  test('sends a reply uncompressed with its own ETag and the same Vary, and compresses it later', async () => {
    const { port, ends, held } = await overloaded();
    const plain = await askServer(port, '/a');
    const { date: _, ...headers } = plain.headers;
    const skipped = await askServer(port, '/a', { headers: br });
    expect(skipped.body.toString()).toBe(textOf('/a'));
    const { date: __, ...got } = skipped.headers;
    expect(got).toEqual(headers);

    const known = { ...br, 'If-None-Match': plain.headers.etag! };
    const unchanged = await askServer(port, '/a', { headers: known });
    expect([unchanged.status, unchanged.headers.etag, unchanged.headers.vary]).toEqual([
      304,
      plain.headers.etag,
      plain.headers.vary,
    ]);

    for (let i = 0; i < 2; i++) {
      ends[i]();
      await held[i];
    }
    const later = await askServer(port, '/a', { headers: known });
    expect([later.status, later.headers['content-encoding'], decoded(later)]).toEqual([200, 'br', textOf('/a')]);
    const again = await askServer(port, '/a', { headers: { ...br, 'If-None-Match': later.headers.etag! } });
    expect(again.status).toBe(304);
  });
});

test('metrics count running, waiting and skipped compressions', async () => {
  const { port } = await start();
  const found = samples((await askServer(port, '/_metrics')).body.toString());
  for (const name of [
    'lectern_compressions{state="running"}',
    'lectern_compressions{state="waiting"}',
    'lectern_compressions_skipped_total{reason="full"}',
    'lectern_compressions_skipped_total{reason="gone"}',
  ]) {
    expect(found.get(name), name).toBeGreaterThanOrEqual(0);
  }
});
