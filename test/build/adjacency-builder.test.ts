import { describe, expect, test } from 'vitest';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { type Adjacency, type LinkPositions, positionAt } from '../../src/store/links/adjacency.ts';
import { AdjacencyBuilder } from '../../src/store/writer/links/adjacency-builder.ts';
import { adjacencyPair, linksShownBy, polymorphicAdjacency } from '../../src/store/writer/links/link-list.ts';
import { usesOfFiles } from '../../src/store/writer/links/store-links.ts';

const listsOf = ({ offsets, targets }: Adjacency) =>
  Array.from(offsets.subarray(1), (end, row) => [...targets.subarray(offsets[row], end)]);

function positionsOf({ offsets, targets }: Adjacency, positions: LinkPositions | null): number[][] {
  const at = (row: number) => Array.from(targets.subarray(offsets[row]!, offsets[row + 1]!).keys());
  return Array.from(offsets.subarray(1), (_, row) => at(row).map((i) => positionAt(positions!, offsets[row]! + i, i)));
}

const same = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);

/** The pair of an attribute of collection 0 whose targets are in collection 1. */
function pairOf(builder: AdjacencyBuilder, sourceRows: Uint32Array, targetRows: Uint32Array) {
  const list = builder.finish(0, [sourceRows, targetRows]);
  return adjacencyPair(list, sourceRows.length, targetRows.length, heapAllocator);
}

function polymorphicOf(builder: AdjacencyBuilder, rows: readonly Uint32Array[]) {
  const numbers: Record<string, number> = { related: 2, cover: 5 };
  const inverseNumber = (_: number, attribute: string) => numbers[attribute] ?? 1;
  return polymorphicAdjacency(builder.finish(0, rows), rows[0]!.length, inverseNumber, heapAllocator);
}

test('each side orders links by its own positions', () => {
  const builder = new AdjacencyBuilder();
  builder.add(0, 1, 1, 2, 5);
  builder.add(0, 1, 0, 1, 5);
  builder.add(1, 1, 1, 1, 4);
  const { forward, reverse } = pairOf(builder, same(3), same(2));
  expect(listsOf(forward)).toEqual([[0, 1], [1], []]);
  expect(listsOf(reverse)).toEqual([[0], [1, 0]]);
});

test('links with equal positions are ordered by row', () => {
  const builder = new AdjacencyBuilder();
  for (const target of [2, 0, 1]) builder.add(0, 1, target, 1, 1);
  expect(listsOf(pairOf(builder, same(1), same(3)).forward)).toEqual([[0, 1, 2]]);
});

test('load ordinals are replaced by rows', () => {
  const builder = new AdjacencyBuilder();
  builder.add(0, 1, 1, 1, 1);
  const { forward, reverse } = pairOf(builder, Uint32Array.of(1, 0), Uint32Array.of(1, 0));
  expect(listsOf(forward)).toEqual([[], [0]]);
  expect(listsOf(reverse)).toEqual([[1], []]);
});

describe('both sides keep their positions', () => {
  const links: [source: number, target: number, order: number | null, inverseOrder: number | null][] = [
    [0, 0, 3, 1.5],
    [0, 1, 1.25, 2],
    [1, 0, 7, -4],
  ];

  test('whole numbers and others', () => {
    const builder = new AdjacencyBuilder();
    for (const [source, target, order, inverse] of links) builder.add(source, 1, target, order, inverse);
    const { forward, reverse } = pairOf(builder, same(2), same(2));
    expect(positionsOf(forward, forward.positions)).toEqual([[1.25, 3], [7]]);
    expect(positionsOf(reverse, reverse.positions)).toEqual([[-4, 1.5], [2]]);
    expect(forward.positions!.values).toBeInstanceOf(Float64Array);
  });

  test('whole numbers take four bytes', () => {
    const builder = new AdjacencyBuilder();
    for (const [source, target, order] of links) builder.add(source, 1, target, Math.floor(order!), order! * 4);
    const { forward, reverse } = pairOf(builder, same(2), same(2));
    expect(forward.positions!.values).toEqual(Uint32Array.of(1, 3, 7));
    expect(reverse.positions!.values).toEqual(Uint32Array.of(12, 28, 5));
  });

  test.each([
    [1, [0, 1, 0]],
    [1, [1, 2, 1]],
    [0, [4, 4, 4]],
  ])('evenly spaced positions take no memory: step %d, positions %j', (step, orders) => {
    const builder = new AdjacencyBuilder();
    for (const [i, [source, target]] of links.entries()) builder.add(source, 1, target, orders[i]!, 0);
    const { forward, reverse } = pairOf(builder, same(2), same(2));
    expect(forward.positions).toEqual({ values: null, first: orders[0], step });
    expect(positionsOf(forward, forward.positions)).toEqual([orders.slice(0, 2), orders.slice(2)]);
    expect(reverse.positions).toEqual({ values: null, first: 0, step: 0 });
  });
});

describe('links without a position', () => {
  test('come last, in the order in which they are added', () => {
    const builder = new AdjacencyBuilder();
    for (const [target, order] of [
      [3, null],
      [1, null],
      [0, 6],
      [2, 5],
    ] as const)
      builder.add(0, 1, target, order, 0);
    const { forward } = pairOf(builder, same(1), same(4));
    expect(listsOf(forward)).toEqual([[2, 0, 3, 1]]);
    expect(positionsOf(forward, forward.positions)).toEqual([[5, 6, 7, 8]]);
  });

  test('are numbered for each row alone', () => {
    const builder = new AdjacencyBuilder();
    for (const source of [1, 0, 1, 0]) builder.add(source, 1, 0, null, 0);
    expect(pairOf(builder, same(2), same(1)).forward.positions).toEqual({ values: null, first: 0, step: 1 });
  });

  test.each([
    ['in the order of the sources', [0, 1, 2], [[0, 1, 2]], { values: null, first: 0, step: 0 }],
    ['in another order', [1, 0, 2], [[1, 0, 2]], { values: null, first: 0, step: 1 }],
  ])('on the inverse side, added %s', (_, sources, lists, positions) => {
    const builder = new AdjacencyBuilder();
    for (const source of sources) builder.add(source, 1, 0, 1, null);
    const { reverse } = pairOf(builder, same(3), same(1));
    expect(listsOf(reverse)).toEqual(lists);
    expect(reverse.positions).toEqual(positions);
  });

  test('on the inverse side, depend on no link to another target', () => {
    const builder = new AdjacencyBuilder();
    for (const [source, target] of [
      [1, 0],
      [2, 1],
      [0, 1],
      [2, 0],
    ] as const)
      builder.add(source, 1, target, 1, null);
    const { reverse } = pairOf(builder, same(3), same(2));
    expect(positionsOf(reverse, reverse.positions)).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(listsOf(reverse)).toEqual([
      [1, 2],
      [2, 0],
    ]);
  });
});

describe('polymorphic links', () => {
  test('keep the collection of each target', () => {
    const builder = new AdjacencyBuilder();
    builder.add(0, 7, 0, 2, 0);
    builder.add(0, 3, 1, 1, 0);
    const rows: Uint32Array[] = Array.from({ length: 8 }, () => same(1));
    rows[3] = Uint32Array.of(8, 9);
    rows[7] = Uint32Array.of(5);
    const links = polymorphicOf(builder, rows);
    expect(listsOf(links)).toEqual([[9, 5]]);
    expect(links.collections).toEqual(Uint16Array.of(3, 7));
    expect(links.shownBy).toBeNull();
  });

  test('keep the position on the other side, and the attribute that shows them', () => {
    const builder = new AdjacencyBuilder();
    builder.add(0, 1, 0, 2, 8, 'cover');
    builder.add(0, 1, 1, 1, 9);
    builder.add(0, 1, 2, 3, 7, '');
    const links = polymorphicOf(builder, [same(1), same(3)]);
    expect(positionsOf(links, links.inversePositions)).toEqual([[9, 8, 7]]);
    expect(links.shownBy).toEqual(Uint16Array.of(0, 5, 1));
  });

  test('the same position: ordered by type and row, whatever the order in which they were added', () => {
    const builder = new AdjacencyBuilder();
    for (const [collection, row] of [
      [1, 2],
      [2, 0],
      [1, 0],
    ] as const)
      builder.add(0, collection, row, 0, 0);
    const links = polymorphicOf(builder, [same(1), same(3), same(1)]);
    expect(listsOf(links)).toEqual([[0, 2, 0]]);
    expect(links.collections).toEqual(Uint16Array.of(1, 1, 2));
  });

  test('the inverse side has only the links of one collection and one inverse attribute', () => {
    const builder = new AdjacencyBuilder();
    builder.add(0, 1, 0, 1, 1);
    builder.add(1, 2, 0, 1, 1);
    builder.add(2, 1, 0, 1, 2, 'related');
    builder.add(3, 1, 0, 1, 3, 'cover');
    const list = builder.finish(0, [same(4), same(1), same(1)]);
    expect(listsOf(adjacencyPair(linksShownBy(list, 1, 'related'), 4, 1, heapAllocator).reverse)).toEqual([[0, 2]]);
  });
});

test('uses of a file are in the order of the position in each entry, then of types, attributes and rows', () => {
  const media = (orders: number[]) => {
    const builder = new AdjacencyBuilder();
    for (const [source, order] of orders.entries()) builder.add(source, 1, 0, order, 0);
    return pairOf(builder, same(orders.length), same(1)).forward;
  };
  const uses = usesOfFiles(
    [
      { collection: 5, links: media([2, 1]) },
      { collection: 5, links: media([1, 1]) },
      { collection: 3, links: media([0]) },
    ],
    1,
    heapAllocator,
  );
  expect(listsOf(uses)).toEqual([[0, 1, 0, 1, 0]]);
  expect(uses.collections).toEqual(Uint16Array.of(3, 5, 5, 5, 5));
  expect(uses.positions).toBeNull();
});
