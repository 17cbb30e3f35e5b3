import { describe, expect, test, vi } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { JsonWriter } from '../../src/query/reply/json-writer.ts';
import { longReplyBytes } from '../../src/query/reply/reply-memory.ts';
import type { SizeEstimate } from '../../src/query/reply/size-estimate.ts';

const unlimited = { nodes: Number.POSITIVE_INFINITY, bytes: Number.MAX_SAFE_INTEGER };
const anyCost = () => new CostBudget(Number.POSITIVE_INFINITY);

function written(write: (writer: JsonWriter) => void, limits = unlimited): string {
  const writer = new JsonWriter(limits);
  writer.start(anyCost());
  write(writer);
  return writer.finish().toString();
}

test.each([0, 7, 10, 99, 100, 4_294_967_295, Number.MAX_SAFE_INTEGER])('writes the number %d', (number) => {
  expect(written((writer) => writer.number(number))).toBe(String(number));
});

test('appends bytes, delimiters, texts and single bytes in order', () => {
  const text = written((writer) => {
    writer.appendByteUncharged(0x5b);
    writer.copy(Buffer.from('xx"a"xx'), 2, 5);
    writer.appendUncharged(Buffer.from(','));
    writer.append(Buffer.from('1'));
    writer.appendTextUncharged(',"Zoë"]');
  });
  expect(text).toBe('["a",1,"Zoë"]');
});

test.each([
  [0, 7],
  [5, 4],
  [7, 9],
  [-1, 2],
  [0, 2 ** 32 - 1],
  [0, Number.NaN],
  [undefined, 3],
  [0, undefined],
])('throws for bytes %s to %s of a source that has 6, and writes nothing', (start, end) => {
  const source = Buffer.from('source');
  const text = written((writer) => {
    writer.copy(source, 0, 6);
    expect(() => writer.copy(source, start as number, end as number)).toThrow(
      new RangeError(`the store has no bytes ${start} to ${end}: the JSON of its rows has 6 bytes`),
    );
  });
  expect(text).toBe('source');
});

test('overwrites a byte, in a slab and after a reply has moved into a buffer of its own', () => {
  for (const length of [10, 20_000]) {
    const text = written((writer) => {
      writer.appendTextUncharged('x');
      writer.copy(Buffer.alloc(length, 'a'), 0, length);
      writer.replace(0, 0x7b);
    });
    expect(text).toBe(`{${'a'.repeat(length)}`);
  }
});

test('replies that share a slab keep their bytes', () => {
  const writer = new JsonWriter(unlimited);
  const bodies = ['a', 'b', 'c'].map((letter) => {
    writer.start(anyCost());
    writer.appendTextUncharged(letter.repeat(3000));
    return writer.finish();
  });
  expect(bodies.map(String)).toEqual(['a', 'b', 'c'].map((letter) => letter.repeat(3000)));
  expect(new Set(bodies.map(({ buffer }) => buffer)).size).toBe(1);
});

test('discards a reply that was not finished', () => {
  const writer = new JsonWriter(unlimited);
  writer.start(anyCost());
  writer.appendTextUncharged('unfinished');
  writer.start(anyCost());
  writer.appendTextUncharged('whole');
  expect(writer.finish().toString()).toBe('whole');
});

describe('limits', () => {
  test.each([10, 8192, 8193, 70_000])('accept %d bytes and reject one more', (bytes) => {
    const limits = { nodes: 1, bytes };
    const write = (length: number) => written((writer) => writer.copy(Buffer.alloc(length, 'a'), 0, length), limits);
    expect(write(bytes)).toHaveLength(bytes);
    expect(() => write(bytes + 1)).toThrow('budgets.bytes');
  });

  test('accept the maximum number of nodes and reject one more', () => {
    const count = (nodes: number) => () =>
      written(
        (writer) => {
          for (let i = 0; i < nodes; i++) writer.countNode();
        },
        { nodes: 3, bytes: 10 },
      );
    expect(count(3)).not.toThrow();
    expect(count(4)).toThrow('budgets.nodes');
  });

  test('reject a cost above that of the request', () => {
    const writer = new JsonWriter(unlimited);
    writer.start(new CostBudget(1000));
    expect(() => writer.charge(1001)).toThrow('budgets.steps');
  });
});

describe('the estimate of a long reply', () => {
  const estimateOf = (parts: Partial<SizeEstimate>) =>
    vi.fn(() => ({ nodes: 1, bytes: 0, cost: 0, estimatingCost: 0, ...parts }));
  const chunk = Buffer.alloc(2 ** 16, 'a');

  function writeChunks(count: number, estimate: () => SizeEstimate, limits = unlimited): Buffer {
    const writer = new JsonWriter(limits);
    writer.start(anyCost());
    writer.setEstimate(estimate);
    for (let i = 0; i < count; i++) writer.copy(chunk, 0, chunk.length);
    return writer.finish();
  }

  test('is computed once, and only for a long reply', () => {
    const estimate = estimateOf({ bytes: 4 * longReplyBytes });
    writeChunks(longReplyBytes / chunk.length, estimate);
    expect(estimate).not.toHaveBeenCalled();
    const body = writeChunks(64, estimate);
    expect(estimate).toHaveBeenCalledTimes(1);
    // one buffer for the whole reply, with the margin
    expect(body.buffer.byteLength).toBe(Math.ceil(4 * longReplyBytes * 1.05));
  });

  test('may be too low', () => {
    expect(writeChunks(64, estimateOf({ bytes: 1 }))).toHaveLength(64 * chunk.length);
  });

  test('rejects a reply that will exceed a limit', () => {
    const limits = { nodes: 10, bytes: 8 * longReplyBytes };
    expect(() => writeChunks(17, estimateOf({ nodes: 11 }), limits)).toThrow('budgets.nodes');
    expect(() => writeChunks(17, estimateOf({ bytes: limits.bytes + 1 }), limits)).toThrow('budgets.bytes');
  });
});
