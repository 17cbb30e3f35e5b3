import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import type { Populated, RelatedSelection } from '../../src/query/bound.ts';
import type { RequestView } from '../../src/query/plan/request-view.ts';
import { nextLevelRows } from '../../src/query/reply/level-rows.ts';

/** Row 0 leads to 4 and 2, row 1 to 2, and row 2 nowhere. */
const links = {
  offsets: Uint32Array.of(0, 2, 3, 3),
  targets: Uint32Array.of(4, 2, 2),
  topLinkCounts: Uint32Array.of(),
  positions: null,
  patch: null,
};
const toTypes = { ...links, collections: Uint16Array.of(3, 7, 3), inversePositions: null, shownBy: null };
const selectionOf = (attribute: string): RelatedSelection => ({
  fields: null,
  populate: [{ attribute, targets: {} } as unknown as Populated],
  filter: null,
  everyStatus: false,
});

function behind(
  levelRows: number[] | null,
  attribute = 'localizations',
  selected: BitSet | null = null,
  polymorphic = false,
) {
  const budget = new CostBudget(1e6);
  const rows = levelRows && Uint32Array.from(levelRows);
  const next = nextLevelRows(
    { budget } as RequestView,
    selectionOf(attribute),
    polymorphic ? toTypes : links,
    rows,
    selected,
    7,
  );
  return { rows: next && [...next], cost: budget.charged };
}

test('returns each row of the next level once, in order', () => {
  expect(behind([0, 1, 2]).rows).toEqual([2, 4]);
  expect(behind([2]).rows).toEqual([]);
});

test('leaves out rows that are not selected and links to other types', () => {
  const selected = new BitSet(5);
  selected.add(4);
  expect(behind([0, 1], 'localizations', selected).rows).toEqual([4]);
  expect(behind([0, 1], 'localizations', null, true).rows).toEqual([2]);
});

test('charges for each sibling and each of its links', () => {
  expect(behind([0, 1, 2]).cost).toBe(50 * (3 + 3));
  expect(behind([2]).cost).toBe(50);
});

test('returns null without a charge where no localizations are populated or nothing is omitted', () => {
  expect(behind([0, 1], 'author')).toEqual({ rows: null, cost: 0 });
  expect(behind(null)).toEqual({ rows: null, cost: 0 });
});
