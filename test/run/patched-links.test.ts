/** Links of a patch are counted exactly, and bounds of their numbers hold. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { iota } from '../../src/core/sets/row-set.ts';
import { LinkAverages } from '../../src/query/visible/link-averages.ts';
import { DerivedRegistry } from '../../src/query/visible/registry.ts';
import { type Adjacency, adjacencyFromPairs } from '../../src/store/links/adjacency.ts';
import { averageLinksPerRow, countLinks, mostLinks, mostRowsWithoutLinks } from '../../src/store/links/link-counts.ts';
import { LinkEdit } from '../../src/store/overlay/link-edit.ts';
import { baseList } from '../../src/store/overlay/patched-lists.ts';

type Lists = readonly (readonly number[])[];

/** Row by row: the links, and whether a patch has them. The rows from `known` on are new. */
interface Linked {
  readonly lists: Lists;
  readonly isPatched: readonly boolean[];
  readonly known: number;
}

const targetCount = 40;

const linked: fc.Arbitrary<Linked> = fc.integer({ min: 1, max: 40 }).chain((rowCount) => {
  const list = fc.array(fc.nat(targetCount - 1), { maxLength: 3 });
  return fc.record({
    lists: fc.array(list, { minLength: rowCount, maxLength: rowCount }),
    isPatched: fc.array(fc.boolean(), { minLength: rowCount, maxLength: rowCount }),
    known: fc.nat(rowCount),
  });
});

function adjacencyOf(lists: Lists): Adjacency {
  const sources = lists.flatMap((list, row) => list.map(() => row));
  return adjacencyFromPairs(Uint32Array.from(sources), Uint32Array.from(lists.flat()), lists.length);
}

/** Returns the same links with a patch, which hides others: those of the next row. */
function withPatch(links: Adjacency, isPatched: (row: number) => boolean, known: number): Adjacency {
  const rowCount = links.offsets.length - 1;
  const lists = Array.from({ length: rowCount }, (_, row) => baseList(links, row));
  const others = lists.map((list, row) => Array.from((isPatched(row) ? lists[(row + 1) % rowCount] : list).targets));
  const edit = new LinkEdit(adjacencyOf(others.slice(0, known)), rowCount);
  for (const [row, list] of lists.entries()) edit.set(row, list);
  return edit.finish();
}

/** Both directions of the links of a segment `thing` to itself, with patches and without. */
function pairsOf({ lists, isPatched, known }: Linked) {
  const all = [...lists, ...Array<number[]>(targetCount - lists.length).fill([])];
  const forward = adjacencyOf(all);
  const sources = Array.from({ length: targetCount }, () => [] as number[]);
  for (const [row, list] of all.entries()) for (const target of list) sources[target]!.push(row);
  const reverse = adjacencyOf(sources);
  const isHidden = (row: number) => isPatched[row % isPatched.length] === true;
  return {
    plain: { forward, reverse },
    patched: { forward: withPatch(forward, isHidden, known), reverse: withPatch(reverse, isHidden, known) },
  };
}

test('links are counted exactly, and bounds hold', () => {
  const property = fc.property(linked, (content) => {
    const { plain, patched } = pairsOf(content);
    const counts = Array.from(iota(targetCount), (row) => countLinks(plain.forward, Uint32Array.of(row)));
    const links = patched.forward;
    for (const [row, count] of counts.entries()) expect(countLinks(links, Uint32Array.of(row))).toBe(count);
    const most = counts.toSorted((a, b) => b - a);
    for (let rows = 0, sum = 0; rows < targetCount; rows++, sum += most[rows - 1]!) {
      expect(mostLinks(links, rows)).toBeGreaterThanOrEqual(sum);
    }
    expect(mostRowsWithoutLinks(links)).toBeGreaterThanOrEqual(counts.filter((count) => count === 0).length);
    expect(averageLinksPerRow(links)).toBeGreaterThanOrEqual(averageLinksPerRow(plain.forward));
  });
  fc.assert(property, { seed: 20 });
});

test('an average behind other links is that of the base, and counts the links of patches again', () => {
  const registry = new DerivedRegistry(2 ** 20);
  const averages = new LinkAverages(registry);
  const before = adjacencyOf([[0], [0], [1]]);
  const links = adjacencyOf([[0, 1, 2], [0], []]);
  expect(averages.average(before, links)).toBeCloseTo(7 / 3);
  const edit = new LinkEdit(before, 4);
  edit.set(3, baseList(adjacencyOf([[1]]), 0));
  const patched = edit.finish();
  expect(averages.average(patched, links)).toBe(8 / 4);
  expect(averages.average(before, links)).toBeCloseTo(7 / 3);
  expect(registry.statistics).toMatchObject({ hits: 2, misses: 1 });
});
