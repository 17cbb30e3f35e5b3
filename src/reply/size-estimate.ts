import { byteCost, copyCost, countedNodeCost, countedPartCost, linkCost, nodeCost } from './cost.ts';
import type { EntryProjection, PartProjection } from './projection.ts';

/** What the entries of a reply take at least. */
export interface SizeEstimate {
  nodes: number;
  bytes: number;
  steps: number;
  /** What counting itself took, in steps. */
  counting: number;
}

/**
 * Counts what writeEntries will write and spend, but for commas, braces and marks, without reading a byte of it: a
 * reply that no budget allows is refused sooner than it is written, and room is made once for one that is long.
 * Counting ends when steps, with those of counting, pass `mostSteps`.
 */
export function estimateSize(shape: EntryProjection, rows: ArrayLike<number>, mostSteps: number): SizeEstimate {
  const extent: SizeEstimate = { nodes: 0, bytes: 0, steps: 0, counting: 0 };
  for (let i = 0; i < rows.length && isWithin(extent, mostSteps); i++) addEntry(extent, shape, rows[i], mostSteps);
  return extent;
}

function isWithin({ steps, counting }: SizeEstimate, mostSteps: number): boolean {
  return steps + counting <= mostSteps;
}

function addEntry(
  extent: SizeEstimate,
  { jsonRows, runs, parts }: EntryProjection,
  row: number,
  mostSteps: number,
): void {
  const { offsets, names } = jsonRows;
  const first = row * (names.length + 1);
  let bytes = 0;
  for (let i = 0; i < runs.length; i += 2) bytes += offsets[first + runs[i + 1]] - offsets[first + runs[i]];
  extent.nodes++;
  extent.bytes += bytes;
  extent.counting += countedNodeCost;
  extent.steps += nodeCost + (runs.length / 2) * copyCost + bytes * byteCost;
  for (const part of parts) addPart(extent, part, row, mostSteps);
}

function addPart(extent: SizeEstimate, part: PartProjection, row: number, mostSteps: number): void {
  const { offsets, targets } = part.links;
  const start = offsets[row];
  const end = offsets[row + 1];
  extent.counting += countedPartCost;
  extent.bytes += part.frame.start.length;
  extent.steps += part.cost + (end - start) * (part.kind === 'relation' ? part.rowCost : linkCost);
  // which rows a window leaves is not known before they are sorted
  if (part.count) extent.steps += copyCost;
  if (part.count || (part.kind === 'relation' && part.window)) return;
  for (let i = start; i < end && isWithin(extent, mostSteps); i++) {
    const target = part.kind === 'relation' ? part : part.targets[part.links.collections[i]];
    if (!target || (target.visible && !target.visible.has(targets[i]))) continue;
    addEntry(extent, target.entry, targets[i], mostSteps);
    if (!part.many) return;
  }
}
