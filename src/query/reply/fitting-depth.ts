/** How deep a reply to `populate=deep` may go within the budgets, found without writing it. */
import { ValidationError } from '../../core/errors.ts';
import { patchedLinks } from '../../store/links/link-patch.ts';
import type { Selection } from '../bound.ts';
import { byteCost, copyCost, countedNodeCost, countedPartCost, linkCost, nodeCost } from './cost.ts';
import type { Delimiters } from './delimiters.ts';
import { changedJson, type EntryProjection, type PartProjection } from './projection.ts';
import type { Budgets } from './reply-budget.ts';
import { longReplyBytes } from './reply-memory.ts';

/** What is left of the budgets for the entries of a reply. */
export interface RoomForEntries extends Budgets {
  readonly cost: number;
}

/** Returns a selection without what is deeper than a number of levels. */
export function cutAt<Cut extends Selection>(selection: Cut, depth: number): Cut {
  const populate = selection.populate.map((populated) => ({
    ...populated,
    targets: Object.fromEntries(
      Object.entries(populated.targets).map(([uid, target]) => [uid, cutAt(target, depth - 1)]),
    ),
  }));
  return { ...selection, populate: depth === 0 ? [] : populate };
}

/**
 * Returns whether entries can be written in the room that is left. Counts exactly what `writeEntries` writes and charges
 * for entries that are populated without options, and stops when there is too much.
 */
export function fitsIn(
  room: RoomForEntries,
  projection: EntryProjection,
  rows: ArrayLike<number>,
  delimiters: Delimiters,
  suffix: ((row: number) => Buffer) | null,
): boolean {
  const size = new ReplySize(room);
  for (let i = 0; i < rows.length && size.fits; i++) size.addEntry(projection, rows[i], suffix?.(rows[i]));
  size.addDelimiters(delimiters, rows.length);
  return size.fits;
}

const openAttributes = ',"attributes":'.length;
const identityRange = 2;

class ReplySize {
  readonly #room: RoomForEntries;
  #nodes = 0;
  #bytes = 0;
  #cost = 0;
  /** What estimating a long reply costs. */
  #estimating = 0;

  constructor(room: RoomForEntries) {
    this.#room = room;
  }

  get fits(): boolean {
    const { nodes, bytes, cost } = this.#room;
    const spent = this.#cost + (this.#bytes > longReplyBytes ? this.#estimating : 0);
    return this.#nodes <= nodes && this.#bytes <= bytes && spent <= cost;
  }

  addEntry(projection: EntryProjection, row: number, suffix?: Buffer): void {
    const { jsonRows, changed, fragmentRanges, parts, hasAttributesObject } = projection;
    const json = changed?.rows.has(row) ? changedJson(changed, row) : null;
    const { offsets, names } = json ?? jsonRows;
    const first = json ? 0 : row * (names.length + 1);
    this.#nodes++;
    this.#cost += nodeCost;
    this.#estimating += countedNodeCost;
    if (hasAttributesObject) this.#add(openAttributes);
    let before = this.#bytes;
    for (let i = 0; i < fragmentRanges.length; i += 2) {
      this.#add(offsets[first + fragmentRanges[i + 1]] - offsets[first + fragmentRanges[i]]);
      if (i + 2 === identityRange) before = this.#bytes;
    }
    for (const part of parts) if (this.fits) this.#addPart(part, row);
    if (suffix) this.#add(suffix.length);
    // a brace takes the place of the first comma
    if (hasAttributesObject) this.#bytes += this.#bytes === before ? 2 : 1;
  }

  addDelimiters({ open, between, close, none }: Delimiters, count: number): void {
    this.#bytes += count === 0 ? none.length : open.length + (count - 1) * between.length + close.length;
  }

  #addPart(part: PartProjection, row: number): void {
    const { links, delimiters } = part;
    const patched = links.patch && patchedLinks(links.patch, row);
    const targets = patched ? patched.targets : links.targets;
    const start = patched ? 0 : links.offsets[row];
    const end = patched ? targets.length : links.offsets[row + 1];
    this.#estimating += countedPartCost;
    this.#cost += part.cost + (end - start) * (part.kind === 'relation' ? part.rowCost : linkCost);
    let written = 0;
    for (let i = start; i < end && this.fits && (part.many || written === 0); i++) {
      const target =
        part.kind === 'relation' ? part : part.targets[(patched?.collections ?? part.links.collections)[i]];
      if (!target || (target.selected && !target.selected.has(targets[i]))) continue;
      written++;
      this.addEntry(target.entry, targets[i], target.suffix);
    }
    this.addDelimiters(delimiters, written);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#cost += copyCost + bytes * byteCost;
  }
}

/** Returns whether an error says that a reply exceeds a budget. */
export function isOverBudget(error: unknown): error is ValidationError {
  return error instanceof ValidationError && 'setting' in error.details;
}

/** Returns the error with the depth that fits; 0 if none does. */
export function withFittingDepth({ message, details }: ValidationError, depth: number): ValidationError {
  const fits = depth === 0 ? 'no depth of populate=deep fits' : `populate=deep,${depth} fits`;
  return new ValidationError(`${message}; ${fits}`, details);
}
