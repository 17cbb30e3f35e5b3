import zlib from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createListener } from '../../src/http/app.ts';
import { Codings } from '../../src/http/codings.ts';
import { type OpenOptions, open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, type HttpAnswer, listen } from '../support/http.ts';

/** Content codings: negotiation, caching and headers. */

afterEach(closeServers);

const entries = Array.from({ length: 60 }, (_, i) => ({ documentId: `thing-${i}`, title: `A thing of number ${i}` }));

async function serve(options: OpenOptions = {}): Promise<number> {
  const content = await open(thingSnapshot({ title: { type: 'string' } }, entries), options);
  return listen(createListener(content));
}

const path = '/api/things?pagination[pageSize]=50';

const decoders: Record<string, (body: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: (zlib as unknown as { zstdDecompressSync: typeof zlib.gunzipSync }).zstdDecompressSync,
};

function decoded({ headers, body }: HttpAnswer): string {
  const coding = headers['content-encoding'];
  return (coding === undefined ? body : decoders[coding](body)).toString();
}

const hasZstd = 'zstdCompress' in zlib;

describe.each([64 * 2 ** 20, 0])('with a cache of %d bytes', (cacheBytes) => {
  test.each<[string, string | undefined]>([
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['br;q=0, gzip;q=0, zstd', hasZstd ? 'zstd' : undefined],
    ['identity', undefined],
    ['identity, br;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['identity;q=0, *;q=0', undefined],
    ['deflate, compress', undefined],
    ['', undefined],
    // a header that is too long is ignored
    [`${'a;q=0.5,'.repeat(200)}br`, undefined],
  ])('Accept-Encoding %j gets %s', async (accepted, coding) => {
    const port = await serve({ cacheBytes });
    const plain = await askServer(port, path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (let turn = 0; turn < 2; turn++) {
      const answer = await askServer(port, path, { headers: { 'Accept-Encoding': accepted } });
      expect(answer.status).toBe(200);
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(answer.headers['content-length']).toBe(String(answer.body.length));
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(decoded(answer)).toBe(plain.body.toString());
      if (coding) expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    }
  });

  test('has a separate ETag for each coding, which matches only in that coding', async () => {
    const port = await serve({ cacheBytes });
    const etags = new Map<string, string>();
    for (const coding of ['br', 'gzip', 'identity']) {
      etags.set(coding, (await askServer(port, path, { headers: { 'Accept-Encoding': coding } })).headers.etag!);
    }
    expect(new Set(etags.values()).size).toBe(3);
    for (const [asked] of etags) {
      for (const [had, etag] of etags) {
        const headers = { 'Accept-Encoding': asked, 'If-None-Match': etag };
        const { status, body, headers: got } = await askServer(port, path, { headers });
        expect(status).toBe(asked === had ? 304 : 200);
        if (asked === had) expect([body.length, got.etag]).toEqual([0, etag]);
        if (asked === had) expect(got).not.toHaveProperty('content-encoding');
      }
    }
  });
});

test('HEAD has the headers of GET', async () => {
  const port = await serve();
  const headers = { 'Accept-Encoding': 'br' };
  const { date: _, ...got } = (await askServer(port, path, { headers })).headers;
  const { date: __, ...head } = (await askServer(port, path, { method: 'HEAD', headers })).headers;
  expect(head).toEqual(got);
});

test('sends small replies and errors uncompressed', async () => {
  const port = await serve();
  for (const asked of ['/api/things?pagination[pageSize]=1', '/api/nothing']) {
    const { headers } = await askServer(port, asked, { headers: { 'Accept-Encoding': 'br' } });
    expect(headers).not.toHaveProperty('content-encoding');
  }
});

test('can be turned off', async () => {
  const { headers } = await askServer(await serve({ compression: false }), path, {
    headers: { 'Accept-Encoding': 'br, gzip' },
  });
  expect(headers).not.toHaveProperty('content-encoding');
});

test.each([',', ',,;;', 'br;q', 'br;q=', ';q=1', '"', 'br;q=9'.repeat(1000), 'a,'.repeat(5000), '=;=,=', 'br; q="'])(
  'ignores a malformed Accept-Encoding: %.30j',
  async (accepted) => {
    const answer = await askServer(await serve(), path, { headers: { 'Accept-Encoding': accepted } });
    expect(answer.status).toBe(200);
    expect(JSON.parse(decoded(answer)).data).toHaveLength(50);
  },
);

describe('compressed bodies', () => {
  const body = Buffer.from('x'.repeat(5000));
  const asker = { destroyed: false };

  test('are computed once for concurrent requests and cached', async () => {
    const kept = new Codings(100_000);
    const asked = [kept.encode('gzip', 'a', body, asker), kept.encode('gzip', 'a', body, asker)];
    expect(asked[0]).toBeInstanceOf(Promise);
    expect(asked[1]).toBe(asked[0]);
    const encoded = await asked[0];
    expect(kept.encode('gzip', 'a', body, asker)).toBe(encoded);
    expect(kept.encode('gzip', 'b', body, asker)).toBeInstanceOf(Promise);
    expect(kept.encode('br', 'a', body, asker)).toBeInstanceOf(Promise);
  });

  test('take no more memory than they count, within the budget', async () => {
    const kept = new Codings(10_000);
    const encoded: Buffer[] = [];
    for (let i = 0; i < 100; i++) encoded.push((await kept.encode('gzip', `body ${i}`, body, asker))!);
    expect(encoded.every(({ buffer, length }) => buffer.byteLength === length)).toBe(true);
    expect(kept.figures.bytes).toBeGreaterThan(5000);
    expect(kept.figures.bytes).toBeLessThanOrEqual(10_000);
    expect(kept.encode('gzip', 'body 99', body, asker)).toBe(encoded[99]);
    expect(kept.encode('gzip', 'body 0', body, asker)).toBeInstanceOf(Promise);
  });

  test('are computed again for later requests without a cache', async () => {
    const none = new Codings(0);
    const first = await none.encode('br', 'a', body, asker);
    const again = none.encode('br', 'a', body, asker);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toEqual(first);
    expect(none.figures.bytes).toBe(0);
  });

  test('do not affect others if one fails', async () => {
    const kept = new Codings(100_000);
    await expect(kept.encode('gzip', 'a', 17 as unknown as Buffer, asker)).rejects.toThrow();
    expect(zlib.gunzipSync((await kept.encode('gzip', 'a', body, asker))!)).toEqual(body);
  });
});
