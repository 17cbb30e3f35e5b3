import { createCipheriv } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { Codings } from '../../src/http/codings.ts';
import { createHandler } from '../../src/http/content-handler.ts';
import { etagOf } from '../../src/http/send.ts';
import { askServer, closeServers, listen } from '../support/http.ts';

afterEach(closeServers);

/**
 * The product of two polynomials as GCM reads blocks (NIST SP 800-38D, 6.3): the first bit is the coefficient of x^0.
 */
function product(one: bigint, other: bigint): bigint {
  const reduction = 0xe1n << 120n;
  let sum = 0n;
  let power = other;
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((one >> bit) & 1n) sum ^= power;
    power = power & 1n ? (power >> 1n) ^ reduction : power >> 1n;
  }
  return sum;
}

const numberOf = (block: Buffer) => BigInt(`0x${block.toString('hex')}`);

const random = new Random(20261122);
const randomBytes = (length: number) => Buffer.from(Uint8Array.from({ length }, () => random.integer(0, 255)));

/** Two bodies that differ in two blocks, so that what they add to the checksum is the same: its key is no secret. */
function forged(): [Buffer, Buffer] {
  const cipher = createCipheriv('aes-128-ecb', Buffer.alloc(16), null);
  const key = numberOf(cipher.update(Buffer.alloc(16)));
  const one = randomBytes(40 * 1024);
  const other = Buffer.from(one);
  const difference = numberOf(randomBytes(16));
  for (const [at, added] of [
    [160, difference],
    [176, product(difference, key)],
  ] as const) {
    const block = numberOf(one.subarray(at, at + 16)) ^ added;
    Buffer.from(block.toString(16).padStart(32, '0'), 'hex').copy(other, at);
  }
  return [one, other];
}

test('bodies with colliding checksums are compressed separately', async () => {
  const bodies = forged();
  const replies = bodies.map((body) => ({ status: 200, headers: {}, body }));
  expect(bodies[0].equals(bodies[1])).toBe(false);
  expect(etagOf(replies[0], null)).toBe(etagOf(replies[1], null));

  const answerPath = (path: string) => replies[Number(path.at(-1))];
  const port = await listen(createHandler({ answerPath, codings: new Codings(2 ** 20) }));
  for (let time = 0; time < 2; time++) {
    for (const [i, body] of bodies.entries()) {
      const { headers, body: encoded } = await askServer(port, `/${i}`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(encoded).equals(body)).toBe(true);
    }
  }
});
