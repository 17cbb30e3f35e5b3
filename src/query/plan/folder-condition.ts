import { mapAt } from '../../core/map-at.ts';
import { folderType } from '../../model/schema/schema.ts';
import { type Adjacency, targetsOf } from '../../store/links/adjacency.ts';
import { readNumber, readText } from '../../store/read-value.ts';
import type { Segment } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { type Condition, folderOfFile, matchNothing } from '../bound.ts';
import { unit } from './cost-units.ts';
import type { RequestView } from './request-view.ts';

/**
 * Returns the condition that a file is in a folder or in one below it. `names` lead to the folder; without any, the file
 * is in no folder. Charges for all folders.
 */
export function folderCondition({ store, budget }: RequestView, names: readonly string[]): Condition {
  const folders = store.schema.types.has(folderType) ? segmentOf(store, folderType) : null;
  const parents = folders?.collection.links.get('parent')?.forward;
  if (!folders || !parents || !folders.collection.links.has('files')) {
    return names.length === 0 ? { kind: 'all', conditions: [] } : matchNothing;
  }
  const inFolder = (condition: Condition): Condition => ({ kind: 'related', attribute: folderOfFile, condition });
  const ids = { kind: 'value', attribute: 'id', negated: false } as const;
  if (names.length === 0) return inFolder({ ...ids, comparison: 'isNull', operands: [] });
  budget.charge(folders.rowCount * unit.linkedRank);
  const children = childrenOf(folders, parents);
  let found = children.get(noParent) ?? [];
  for (const [i, name] of names.entries()) {
    if (i > 0) found = found.flatMap((row) => children.get(row) ?? []);
    found = found.filter((row) => readText(folders, row, 'name') === name);
  }
  const below = new Set(found);
  for (const row of below) for (const child of children.get(row) ?? []) below.add(child);
  if (below.size === 0) return matchNothing;
  return inFolder({
    ...ids,
    comparison: 'oneOf',
    operands: Array.from(below, (row) => readNumber(folders, row, 'id')),
  });
}

/** In place of the parent of a folder that is in no other. */
const noParent = -1;

/** Returns the folders in each folder. */
function childrenOf(folders: Segment, parents: Adjacency): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const row of (folders.live ?? folders.allRows).toArray()) {
    const parent = targetsOf(parents, row).find((target) => folders.isLive(target)) ?? noParent;
    mapAt(children, parent, () => []).push(row);
  }
  return children;
}
