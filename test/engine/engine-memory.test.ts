import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CompiledQuery, type ReplyTemplate } from '../../src/engine/bound-request.ts';
import { EngineMemory } from '../../src/engine/caches/engine-memory.ts';
import { heldAfter, usedBytes } from '../support/heap.ts';

test('keeps nothing of 12,000 prepared queries that were evicted one after the other', async () => {
  const memory = new EngineMemory({ cacheBytes: 0, derivedBytes: 1024 });
  const keep = () => memory.keepCompiled({} as ReplyTemplate, new CompiledQuery());
  const held = await heldAfter(6, async () => {
    for (let i = 0; i < 2000; i++) keep();
    // weak references hold their targets until the turn ends
    await nextTurn();
    usedBytes();
  });
  expect(held).toBeLessThan(1.5e5);
});
