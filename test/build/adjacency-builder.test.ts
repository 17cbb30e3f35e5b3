import { expect, test } from 'vitest';
import { AdjacencyBuilder } from '../../src/build/adjacency-builder.ts';
import type { Adjacency } from '../../src/sets/adjacency.ts';
import { heapAllocator } from '../../src/sets/allocator.ts';

const listsOf = ({ offsets, targets }: Adjacency) =>
  Array.from(offsets.subarray(1), (end, row) => [...targets.subarray(offsets[row], end)]);

const same = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);

test('each side orders links by its own positions', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  builder.add(0, 0, 1, 2, 5);
  builder.add(0, 0, 0, 1, 5);
  builder.add(1, 0, 1, 1, 4);
  const { forward, reverse } = builder.finishPair(same(3), same(2));
  expect(listsOf(forward)).toEqual([[0, 1], [1], []]);
  expect(listsOf(reverse)).toEqual([[0], [1, 0]]);
});

test('links with equal positions are ordered by row, then as they were added', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  for (const target of [2, 0, 1]) builder.add(0, 0, target, 1, 1);
  expect(listsOf(builder.finishPair(same(1), same(3)).forward)).toEqual([[0, 1, 2]]);
});

test('load ordinals are replaced by rows', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  builder.add(0, 0, 1, 1, 1);
  const { forward, reverse } = builder.finishPair(Uint32Array.of(1, 0), Uint32Array.of(1, 0));
  expect(listsOf(forward)).toEqual([[], [0]]);
  expect(listsOf(reverse)).toEqual([[1], []]);
});

test('polymorphic links keep the collection of each target', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  builder.add(0, 7, 0, 2, 0);
  builder.add(0, 3, 1, 1, 0);
  const rows: Uint32Array[] = [];
  rows[3] = Uint32Array.of(8, 9);
  rows[7] = Uint32Array.of(5);
  const links = builder.finishPolymorphic(same(1), rows);
  expect(listsOf(links)).toEqual([[9, 5]]);
  expect(links.collections).toEqual(Uint16Array.of(3, 7));
});

test('reversed links are in the order of the position among the targets, then among the sources', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  builder.add(0, 0, 0, 2, 1);
  builder.add(1, 0, 0, 1, 3);
  builder.add(2, 0, 0, 1, 2);
  const uses = new AdjacencyBuilder(heapAllocator);
  builder.appendReversedTo(uses, 5);
  const rows: Uint32Array[] = [];
  rows[5] = same(3);
  expect(listsOf(uses.finishPolymorphic(same(1), rows))).toEqual([[2, 1, 0]]);
});

test('the inverse side has only the links of one collection and one inverse attribute', () => {
  const builder = new AdjacencyBuilder(heapAllocator);
  builder.add(0, 3, 0, 1, 1);
  builder.add(1, 4, 0, 1, 1);
  builder.add(2, 3, 0, 1, 2, 'related');
  builder.add(3, 3, 0, 1, 3, 'cover');
  const { reverse } = builder.only(3, 'related').finishPair(same(4), same(1));
  expect(listsOf(reverse)).toEqual([[0, 2]]);
});
