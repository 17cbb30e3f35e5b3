/** The numbers in `PolymorphicAdjacency.shownBy`: 0 for every inverse attribute, 1 for none, n + 2 for attribute n. */
import type { EntryType } from '../../../model/schema/schema.ts';

/** Returns the number of an inverse attribute of a type. A type without the attribute does not show the link. */
export function inverseNumberOf({ attributes }: EntryType, name: string): number {
  return [...attributes.keys()].indexOf(name) + 2;
}

/** Returns the number for the only inverse attribute that shows a link; undefined for every one, empty for none. */
export function shownByNumber(type: EntryType, inverse: string | undefined): number {
  if (inverse === undefined) return 0;
  return inverse === '' ? 1 : inverseNumberOf(type, inverse);
}

/** Returns the name of the only inverse attribute that shows a link; undefined for every one, empty for none. */
export function inverseNameOf({ attributes }: EntryType, number: number): string | undefined {
  if (number === 0) return undefined;
  return number === 1 ? '' : [...attributes.keys()][number - 2];
}
