/** Lists of links lose and gain links. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { polymorphicList, relationList, withLinks, withoutLinks } from '../../src/store/overlay/patched-lists.ts';
import { caseCount } from '../support/cases.ts';
import { countReads } from './counted-reads.ts';

const compareRows = (a: number, b: number) => a - b;
const inOrder = <Link extends { row: number; position: number }>(links: readonly Link[]) =>
  links.toSorted((a, b) => a.position - b.position || a.row - b.row);

const links = fc.array(
  fc.record({
    collection: fc.nat(2),
    row: fc.nat(9),
    position: fc.constantFrom(0, 0.5, 1, 7),
    inversePosition: fc.nat(3),
    shownBy: fc.nat(1),
  }),
  { maxLength: 30 },
);

describe('links of a list', () => {
  test('the others stay when some go', () => {
    fc.assert(
      fc.property(links, fc.uniqueArray(fc.nat(9)), (all, removed) => {
        const isKept = ({ row }: { row: number }) => !removed.includes(row);
        for (const listOf of [relationList, polymorphicList]) {
          const left = withoutLinks(listOf(all), (target) => removed.includes(target));
          const { shownBy, ...expected } = listOf(all.filter(isKept));
          expect(left).toMatchObject(expected);
          const shown = all.filter(isKept).map((link) => link.shownBy);
          if (listOf === polymorphicList) expect([...(left.shownBy ?? shown.map(() => 0))]).toEqual(shown);
        }
      }),
      { numRuns: caseCount(200, 100), seed: 9 },
    );
  });

  test('added links come among the others in order', () => {
    fc.assert(
      fc.property(links, links, (old, added) => {
        const list = withLinks(relationList(inOrder(old)), added, compareRows);
        expect(list).toEqual(relationList(inOrder([...old, ...added])));
      }),
      { numRuns: caseCount(200, 100), seed: 9 },
    );
  });
});

describe('a long list', () => {
  const long = Array.from({ length: 1000 }, (_, row) => ({
    collection: 0,
    row: 2 * row,
    position: row,
    inversePosition: 0,
    shownBy: 0,
  }));

  test('is copied in runs around a link that goes', () => {
    const list = relationList(long);
    const { counted, reads } = countReads(list.positions!);
    const left = withoutLinks({ ...list, positions: counted }, (target) => target === 1000);
    expect(left.targets).toHaveLength(999);
    expect(reads()).toBe(0);
  });

  test('is copied in runs around an added link', () => {
    const list = relationList(long);
    const targets = countReads(list.targets);
    const positions = countReads(list.positions!);
    const watched = { ...list, targets: targets.counted, positions: positions.counted };
    const grown = withLinks(watched, [{ row: 1001, position: 500 }], compareRows);
    expect([...grown.targets.subarray(499, 503)]).toEqual([998, 1000, 1001, 1002]);
    expect(targets.reads() + positions.reads()).toBeLessThan(50);
  });
});
