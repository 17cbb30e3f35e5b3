/** The links of a collection: where they lead, their positions, and that both directions are the same links. */

import { heapAllocator } from '../../../core/memory/allocator.ts';
import {
  type Adjacency,
  type AdjacencyPair,
  countTopLinks,
  type LinkPositions,
  type PolymorphicAdjacency,
} from '../../../store/links/adjacency.ts';
import { check, equals, type Finding, hasLength, isBelow, type Rules, rises, wrongItem } from './invariants.ts';

interface CheckedLinks<Links extends Adjacency = Adjacency> {
  readonly links: Links;
  readonly rowCount: number;
}

/** `source` and `target` are the numbers of rows of the two collections. */
export function checkPair(name: string, pair: AdjacencyPair, source: number, target: number): void {
  const { forward, reverse } = pair;
  check(`${name}/forward`, linkRules, { links: forward, rowCount: source });
  check(`${name}/forward`, [['targets', () => isBelow(forward.targets, target)]], null);
  check(`${name}/reverse`, linkRules, { links: reverse, rowCount: target });
  check(`${name}/reverse`, [['targets', () => isBelow(reverse.targets, source)]], null);
  check(`${name}/reverse`, [['targets', () => areReversed(pair)]], null);
}

/** A collection to which polymorphic links may lead. */
export interface TargetCollection {
  readonly rowCount: number;
  /** The number of its attributes. */
  readonly attributes: number;
}

/** `targets` are all collections by number; undefined for those to which the attribute does not lead. */
export function checkPolymorphic(
  name: string,
  links: PolymorphicAdjacency,
  rowCount: number,
  targets: readonly (TargetCollection | undefined)[],
): void {
  check(name, linkRules, { links, rowCount });
  check(name, polymorphicRules, { links, targets });
}

const linkRules: Rules<CheckedLinks> = [
  ['offsets', ({ links, rowCount }) => hasLength(links.offsets, rowCount + 1)],
  ['offsets', ({ links }) => rises(links.offsets, 0, links.targets.length)],
  ['topLinkCounts', ({ links }) => equals(links.topLinkCounts, countTopLinks(links.offsets, heapAllocator))],
  ['positions', ({ links }) => havePositions(links.positions, links)],
  ['positions', ({ links }) => arePositionsInOrder(links)],
];

const polymorphicRules: Rules<{
  readonly links: PolymorphicAdjacency;
  readonly targets: readonly (TargetCollection | undefined)[];
}> = [
  ['collections', ({ links }) => hasLength(links.collections, links.targets.length)],
  ['collections', ({ links, targets }) => areCollections(links, targets)],
  ['targets', ({ links, targets }) => areRowsOfCollections(links, targets)],
  ['inverse/positions', ({ links }) => havePositions(links.inversePositions, links)],
  ['shownBy', ({ links }) => (links.shownBy ? hasLength(links.shownBy, links.targets.length) : null)],
  ['shownBy', ({ links, targets }) => areShownBy(links, targets)],
];

function havePositions(positions: LinkPositions | null, { targets }: Adjacency): Finding {
  if (!positions?.values) return null;
  const wrong = positions.values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) return wrongItem(wrong, positions.values[wrong], 'a number');
  return hasLength(positions.values, targets.length);
}

function arePositionsInOrder({ offsets, positions }: Adjacency): Finding {
  if (!positions?.values)
    return positions && positions.step < 0 ? `the step is ${positions.step}, expected 0 or more` : null;
  const { values } = positions;
  for (let row = 0; row + 1 < offsets.length; row++) {
    for (let i = offsets[row] + 1; i < offsets[row + 1]; i++) {
      if (values[i] < values[i - 1]) return wrongItem(i, values[i], `at least ${values[i - 1]}`);
    }
  }
  return null;
}

/** Each link of one direction is in the other one as often. */
function areReversed({ forward, reverse }: AdjacencyPair): Finding {
  if (forward.targets.length !== reverse.targets.length) return hasLength(reverse.targets, forward.targets.length);
  const next = reverse.offsets.slice();
  const expected = new Uint32Array(forward.targets.length);
  for (let row = 0; row + 1 < forward.offsets.length; row++) {
    for (let i = forward.offsets[row]; i < forward.offsets[row + 1]; i++) {
      const target = forward.targets[i];
      const at = next[target]++;
      if (at >= reverse.offsets[target + 1]) return `row ${target} lacks a link that leads to it from row ${row}`;
      expected[at] = row;
    }
  }
  for (let row = 0; row + 1 < reverse.offsets.length; row++) {
    const [start, end] = [reverse.offsets[row], reverse.offsets[row + 1]];
    let i = start;
    while (i < end && reverse.targets[i] === expected[i]) i++;
    // most lists ascend, as the expected ones do
    if (i === end) continue;
    const finding = equals(reverse.targets.slice(start, end).sort(), expected.subarray(start, end));
    if (finding !== null) return `the links of row ${row}, ascending: ${finding}`;
  }
  return null;
}

type Targets = readonly (TargetCollection | undefined)[];

function areCollections({ collections }: PolymorphicAdjacency, targets: Targets): Finding {
  const wrong = collections.findIndex((number) => targets[number] === undefined);
  if (wrong < 0) return null;
  return wrongItem(wrong, collections[wrong], 'the number of a collection to which the attribute leads');
}

function areRowsOfCollections({ collections, targets: rows }: PolymorphicAdjacency, targets: Targets): Finding {
  for (let i = 0; i < rows.length; i++) {
    const { rowCount } = targets[collections[i]]!;
    if (rows[i] >= rowCount) return wrongItem(i, rows[i], `less than ${rowCount}`);
  }
  return null;
}

function areShownBy({ collections, shownBy }: PolymorphicAdjacency, targets: Targets): Finding {
  if (!shownBy) return null;
  for (let i = 0; i < shownBy.length; i++) {
    const limit = targets[collections[i]]!.attributes + 2;
    if (shownBy[i] >= limit) return wrongItem(i, shownBy[i], `less than ${limit}`);
  }
  return null;
}
