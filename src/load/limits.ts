/** Limits on snapshots. An exceeded limit is an error that gives its value. */
import { tooDeepMessage, tooManyValuesMessage } from '../core/json-reader.ts';
import { runAtOnce, type Steps } from '../core/steps.ts';

export const limits = {
  /** Bytes of all files of a snapshot, unpacked. */
  unpackedBytes: 16 * 2 ** 30,
  /** Bytes of all uploaded files in an archive, unpacked. */
  uploadBytes: 64 * 2 ** 30,
  /** Files in an archive, of any kind. */
  archivedFiles: 2_000_000,
  /** Bytes of the headers of one file in an archive, such as PAX headers, including padding before them. */
  headerBytes: 2 ** 20,
  /** Consecutive bytes of headers and padding without a file in an archive. */
  bytesWithoutFile: 32 * 2 ** 20,
  /** Bytes of one entry, or of one line of an export. */
  elementBytes: 64 * 2 ** 20,
  /**
   * Values in one entry, line or definition file, counted by commas and opening brackets: `{},` counts twice. An empty
   * object takes 100 bytes of memory.
   */
  elementValues: 2_000_000,
  /** Bytes of one definition file: a type, a component or roles. */
  fileBytes: 16 * 2 ** 20,
  /** Bytes of all definition files together. */
  definitionBytes: 64 * 2 ** 20,
  /** Bytes of a single-file snapshot. */
  oneFileBytes: 128 * 2 ** 20,
  /** Values in a single-file snapshot. */
  oneFileValues: 10_000_000,
  /** Bytes of empty lines in a file, or of white space after its array. */
  blankBytes: 2 ** 20,
  /** Nesting depth of one entry, line or definition file. One value has less (`maximumJsonDepth`). */
  depth: 256,
  /** Content types and components. */
  types: 5_000,
  /** Attributes of one type and of all types. */
  attributes: 5_000,
  allAttributes: 100_000,
  /** Locales of a JSON snapshot. */
  locales: 1_000,
} as const;

/**
 * Returns the message for a value in memory that exceeds the limits of its JSON text, or null. `levels` is the depth of
 * the value itself. A cyclic object exceeds the depth.
 */
export function findLimitViolationInValue(value: unknown, levels = 0, maxValues?: number): string | null {
  return runAtOnce(findViolationInSteps(value, levels, maxValues));
}

/** Values that a step looks at. */
const valuesPerStep = 10_000;

/** As `findLimitViolationInValue`. */
export function* findViolationInSteps(
  value: unknown,
  levels = 0,
  maxValues: number = limits.elementValues,
): Steps<string | null> {
  /** The lists around the value that is looked at, with the index of the next value of each. */
  const open: { readonly items: readonly unknown[]; next: number }[] = [{ items: [value], next: 0 }];
  let values = 0;
  for (let turn = 1; open.length > 0; turn++) {
    if (turn % valuesPerStep === 0) yield;
    const list = open[open.length - 1];
    if (list.next === list.items.length) {
      open.pop();
      continue;
    }
    const inner = list.items[list.next++];
    if (typeof inner !== 'object' || inner === null) continue;
    if (levels + open.length > limits.depth) return tooDeepMessage(limits.depth);
    const items: unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
    values += Math.max(items.length, 1);
    if (values > maxValues) return tooManyValuesMessage(maxValues);
    open.push({ items, next: 0 });
  }
  return null;
}
