// Each cache by itself: after 10,000 distinct requests the heap holds no more than the cache counts, within its budget.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { iota } from '../../src/core/sets/row-set.ts';
import { Caches } from '../../src/engine/caches/caches.ts';
import { CodecPool } from '../../src/http/codec-pool.ts';
import { Codings } from '../../src/http/codings.ts';
import { sendReply } from '../../src/http/send.ts';
import { Authenticator, type ContentAccess } from '../../src/model/access/authenticate.ts';
import { noCredentials } from '../../src/model/access/credentials.ts';
import { permissionsFor } from '../../src/model/access/permissions.ts';
import { publicationFilters } from '../../src/query/bound.ts';
import type { Reply } from '../../src/query/reply/reply.ts';
import { DerivedRegistry } from '../../src/query/visible/registry.ts';
import { ScopeCache } from '../../src/query/visible/scope-cache.ts';
import type { Collection } from '../../src/store/collection.ts';
import type { Column } from '../../src/store/columns/column.ts';
import { Segment } from '../../src/store/segment.ts';
import { columnBuilder } from '../../src/store/writer/columns/column-builder.ts';
import { heldAfter } from '../support/heap.ts';

// compression and verification would take most of the time and do not affect what is cached
vi.mock('node:zlib', async (original) => {
  const { default: zlib } = await original<{ default: object }>();
  // like zlib, a part of a larger buffer
  const gzip = (body: Buffer, done: (error: null, encoded: Buffer) => void) =>
    done(null, Buffer.concat([body, Buffer.alloc(16_384)]).subarray(0, 500));
  return { default: { ...zlib, gzip } };
});
vi.mock('jose', () => ({
  jwtVerify: async (jwt: string) => ({ payload: JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url').toString()) }),
}));

const requests = 10_000;
const MiB = 2 ** 20;
/** The error of measuring the heap, and memory that does not grow with requests. */
const fixedBytes = 512 * 1024;

/** A text that is unique for the number, in its own memory. */
const textOf = (number: number, length: number) => Buffer.alloc(length, `${number}-`).toString();

const bytesOf = (figures: Record<string, { bytes: number }>) =>
  Object.values(figures).reduce((sum, { bytes }) => sum + bytes, 0);

/** Fails unless the cache is full, within its budget, and holds no more than it counts. */
function expectCounted(held: number, counted: number, budget: number): void {
  expect(counted).toBeLessThanOrEqual(budget);
  expect(counted).toBeGreaterThan(budget * 0.9);
  expect(held).toBeLessThan(counted + fixedBytes);
}

const response = {
  socket: null,
  writeHead() {},
  end() {},
  cork() {},
  uncork() {},
} as unknown as ServerResponse;
const request = { headers: {}, socket: { destroyed: false } } as unknown as IncomingMessage;

function reply(number: number, headers: Record<string, string>): Reply {
  return { status: 200, headers, body: Buffer.allocUnsafeSlow(3000).fill(number), route: '/api/notes' };
}

const commonHeaders = { 'Content-Type': 'application/json', 'X-Lectern-Snapshot': 'abc', 'Cache-Control': 'no-cache' };

test.each<[string, (number: number) => Reply]>([
  ['that share their headers', (number) => reply(number, commonHeaders)],
  [
    'with headers of their own, put in order when they are sent',
    (number) => reply(number, { ...commonHeaders, 'X-Lectern-Omitted': textOf(number, 100) }),
  ],
])('replies %s hold no more than they count', async (_, replyOf) => {
  const caches = new Caches(3 * MiB);
  const around = ['Vary', 'Origin'];
  const held = await heldAfter(requests, (number) => {
    const url = `public flat /api/notes?filters[id]=${number}`;
    const tags = Array.from({ length: 20 }, (_, i) => `api::note.note.title=${number} ${i}`);
    const cached = () => ({ reply: replyOf(number), tags, sequence: 0 });
    const [byQuery, byUrl] = [cached(), cached()];
    caches.keepByQuery(`${url} by query`, byQuery);
    caches.keepByUrl(url, byUrl);
    for (const { reply } of [byQuery, byUrl]) sendReply(request, response, reply, around);
  });
  expectCounted(held, bytesOf(caches.statistics), 2 * MiB);
});

test('rows of filters hold no more than they count', async () => {
  const caches = new Caches(3 * MiB);
  const held = await heldAfter(requests, (number) => {
    const rows = new BitSet(20_000);
    const offer = { price: 0, bytes: 1, cost: 100 };
    for (let time = 0; time < 2; time++) {
      if (caches.admitsRows(number, offer)) caches.keepRows(`notes id > ${number}`, { rows, count: 1 });
    }
  });
  expectCounted(held, bytesOf(caches.statistics), MiB);
});

test('recent requests are held as hashes only', async () => {
  const caches = new Caches(3 * MiB);
  const held = await heldAfter(requests, (number) => {
    caches.admitsReply(textOf(number, 1000));
    expect(caches.admitsRows(number, { price: 0, bytes: 1000, cost: 999 })).toBe(false);
  });
  expect(bytesOf(caches.statistics)).toBe(0);
  expect(held).toBeLessThan(fixedBytes);
});

test('compressed bodies hold no more than they count', async () => {
  const codings = new Codings(MiB, new CodecPool({ running: 2, waiting: 256, waitingBytes: MiB }));
  const asker = { destroyed: false };
  const body = Buffer.alloc(1100);
  const held = await heldAfter(requests, async (number) => {
    body.writeUInt32LE(number);
    await codings.encode('gzip', textOf(number, 22), body, asker);
  });
  expectCounted(held, codings.figures.bytes, MiB);
});

test('forms of Accept-Encoding are bounded', async () => {
  const codings = new Codings(0);
  const held = await heldAfter(requests, (number) => {
    codings.choose(textOf(number, 200), 5000);
    codings.choose(textOf(number, 1000), 5000);
  });
  expect(held).toBeLessThan(500 * 1024 + fixedBytes);
});

test('verified JWTs are bounded', async () => {
  const jwtSecret = 'a secret of the users';
  const authenticator = new Authenticator({ tokens: [], jwtSecret });
  const access: ContentAccess = {
    anonymous: { permissions: permissionsFor([]), role: 'public', userId: null },
    role: () => permissionsFor([]),
    user: () => ({ role: 'authenticated', blocked: false, confirmed: true }),
    emailConfirmation: false,
    credentials: noCredentials,
    ignoresOtherCredentials: false,
  };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenOf = (id: number) => `x.${part({ id, filler: 'x'.repeat(1000) })}.x`;
  const verify = (number: number) => authenticator.authenticate(`Bearer ${tokenOf(number)}`, access);
  // as many as are cached, then enough to evict them
  const first = await heldAfter(10_000, verify);
  expect(authenticator.nameOf(`Bearer ${tokenOf(10_000)}`, noCredentials)).toBe('user 10000');
  expect(first).toBeLessThan(10_000 * 400 + fixedBytes);
  const later = await heldAfter(8000, (number) => verify(20_000 + number));
  // half of this is noise of the garbage collector; 8,000 more JWTs would exceed it by half
  expect(later).toBeLessThan(2 * fixedBytes);
});

/** A column in which the values repeat after `distinct` rows. */
function columnOf(rowCount: number, distinct: number): Column {
  const builder = columnBuilder('integer');
  for (let row = 0; row < rowCount; row++) builder.push(row % distinct);
  return builder.finish(iota(rowCount));
}

/** A collection of a localized type with drafts. */
function localized(rowCount: number, locales: number): Collection {
  const locale = columnBuilder('string');
  const document = columnBuilder('string');
  for (let row = 0; row < rowCount; row++) {
    locale.push(`l${row % locales}`);
    document.push(`d${row >> 1}`);
  }
  const numbers = iota(rowCount);
  const columns = new Map([
    ['locale', locale.finish(numbers)],
    ['documentId', document.finish(numbers)],
  ]);
  const published = new BitSet(rowCount);
  for (let row = 0; row < rowCount; row += 2) published.add(row);
  const drafts = BitSet.full(rowCount).subtract(published);
  const type = { localized: true } as Collection['type'];
  return {
    type,
    number: 0,
    rowCount,
    columns,
    allRows: BitSet.full(rowCount),
    published,
    drafts,
  } as unknown as Collection;
}

test('visible rows and their prefix counts hold no more than they count', async () => {
  const locales = 20;
  const collection = localized(400, locales);
  const statuses = ['published', 'draft', null] as const;
  const publications = [null, ...publicationFilters];
  const registry = new DerivedRegistry(MiB);
  const ready = new ScopeCache(registry);
  const counted = Array.from({ length: 8 }, () => columnOf(400, 20));
  const held = await heldAfter(requests, (number) => {
    const segment = new Segment(collection, undefined, Math.floor(number / (locales * 27)));
    const seen = ready.rowsFor(segment, {
      locale: `l${number % locales}`,
      status: statuses[Math.floor(number / locales) % 3],
      publication: publications[Math.floor(number / (locales * 3)) % 9],
    });
    for (const column of counted) seen.countWith(column, [{ low: 1, high: 3 }]);
  });
  expect(registry.statistics.misses).toBe(requests + 1);
  expectCounted(held, registry.statistics.bytes, MiB);
});
