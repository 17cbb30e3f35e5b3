/** Counts the values of an attribute among the matches of a query. */

import { targetsOf } from '../../store/links/adjacency.ts';
import { jsonOf } from '../../store/read-value.ts';
import type { Segment } from '../../store/segment.ts';
import { valueNumbers } from '../../store/value-numbers.ts';
import { unit } from '../plan/cost-units.ts';
import { follow, type RequestView } from '../plan/request-view.ts';
import { rankingCost } from '../plan/sort-cost.ts';

/** Most values of one facet in a reply. */
export const maximumFacetValues = 1000;

/** A value, and how many entries have it. */
export interface FacetValue {
  /** As in replies. */
  readonly value: unknown;
  readonly count: number;
}

export interface FacetCounts {
  /** The most frequent values first, then in ascending order, null first. At most `maximumFacetValues`. */
  readonly values: readonly FacetValue[];
  /** How many different values there are, null among them. */
  readonly total: number;
}

/**
 * Counts the values at a path among `rows` of a segment, and charges for it before. The count of a value is that of the
 * rows which `$eq` finds: through a to-many relation, a row counts once for each of its values, and without related rows
 * as null.
 */
export function countFacet(
  view: RequestView,
  segment: Segment,
  path: readonly string[],
  rows: Uint32Array,
): FacetCounts {
  const ranking = rankingCost(view, segment, [{ path, descending: false }], rows.length);
  view.budget.charge(2 * ranking + rows.length * unit.sortedRow);
  let reached: Reached = { segment, rows, ends: null };
  for (const name of path.slice(0, -1)) reached = followFrom(view, reached, name);
  return countValues(view, reached, rows.length, path.at(-1)!);
}

/** In place of a row where no related one is reachable: a row of nulls. */
const noRow = 0xffff_ffff;

/** The rows that each match leads to: those of match i end before `ends[i]`. Without `ends`, each leads to one. */
interface Reached {
  readonly segment: Segment;
  readonly rows: Uint32Array;
  readonly ends: Uint32Array | null;
}

function followFrom(view: RequestView, { segment, rows, ends }: Reached, name: string): Reached {
  const { target, links } = follow(view, segment, name);
  const reachable = view.reachable(target);
  const matches = ends ? ends.length : rows.length;
  const nextEnds = new Uint32Array(matches);
  let next = new Uint32Array(rows.length);
  let length = 0;
  const add = (row: number) => {
    if (length === next.length) {
      const larger = new Uint32Array(2 * length);
      larger.set(next);
      next = larger;
    }
    next[length++] = row;
  };
  for (let match = 0, at = 0; match < matches; match++) {
    for (const end = ends ? ends[match] : match + 1; at < end; at++) {
      const before = length;
      const targets = rows[at] === noRow ? [] : targetsOf(links.forward, rows[at]);
      for (let i = 0; i < targets.length; i++) if (!reachable || reachable.has(targets[i])) add(targets[i]);
      if (length === before) add(noRow);
    }
    nextEnds[match] = length;
  }
  return { segment: target, rows: next.subarray(0, length), ends: nextEnds };
}

function countValues(view: RequestView, { segment, rows, ends }: Reached, matches: number, name: string): FacetCounts {
  const { size, numberOf, placeOf } = valueNumbers(segment, name);
  // each value has counters, also those that no match has
  view.budget.charge(size * unit.scannedValue);
  const counts = new Uint32Array(size);
  const examples = new Uint32Array(size);
  // one more than the last match that has the value
  const last = new Uint32Array(size);
  for (let match = 0, at = 0; match < matches; match++) {
    for (const end = ends ? ends[match] : match + 1; at < end; at++) {
      const number = rows[at] === noRow ? 0 : numberOf(rows[at]);
      if (last[number] === match + 1) continue;
      last[number] = match + 1;
      examples[number] = rows[at];
      counts[number]++;
    }
  }
  const found: number[] = [];
  for (let number = 0; number < size; number++) if (counts[number] > 0) found.push(number);
  found.sort((a, b) => counts[b] - counts[a] || placeOf(a) - placeOf(b));
  const values = found.slice(0, maximumFacetValues).map((number) => {
    return { value: number === 0 ? null : valueInRow(segment, examples[number], name), count: counts[number] };
  });
  return { values, total: found.length };
}

function valueInRow(segment: Segment, row: number, name: string): unknown {
  const { rows, at } = jsonOf(segment, row);
  return rows.value(at, name);
}
