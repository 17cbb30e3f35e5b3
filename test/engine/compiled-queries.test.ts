import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BoundRequest, ReplyTemplate } from '../../src/engine/bound-request.ts';
import { CompiledQueries } from '../../src/engine/compiled-queries.ts';
import type { BoundQuery } from '../../src/query/bound.ts';
import type { Store } from '../../src/store/store.ts';
import { bindArticles, bindingFor, schema } from '../query/binding.ts';
import { heldAfter, usedBytes } from '../support/heap.ts';

const store = { schema, segments: [{}], byUid: { get: () => ({ number: 0 }) } } as unknown as Store;
const query = bindArticles(bindingFor('document'), {}) as BoundQuery;
const requestOf = (): BoundRequest => ({ template: { isShared: true } as ReplyTemplate, query, key: null });

test('keeps nothing of 12,000 prepared queries that were evicted one after the other', async () => {
  const compiled = new CompiledQueries();
  const held = await heldAfter(6, async () => {
    for (let i = 0; i < 2000; i++) compiled.of(store, requestOf());
    // weak references hold their targets until the turn ends
    await nextTurn();
    usedBytes();
  });
  expect(held).toBeLessThan(1.5e5);
});
