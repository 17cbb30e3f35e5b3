/**
 * Tags of the places of texts in sort order. A list that is sorted by a text does not change when a text moves behind
 * its last entry. A place is a number of 12 bits, of the first two characters, and a range of places is named by the
 * bits that they have in common. So the tags of a text are 12, and up to 12 cover all places before an entry.
 */
import { placeTag, type Tag } from './tags.ts';

const bits = 12;

/** Returns the tags of a text, or of null, in an attribute. */
export function tagsOfPlace(uid: string, name: string, text: string | null): Tag[] {
  if (text === null) return [placeTag(uid, name, 'null')];
  const place = placeOf(text);
  return Array.from({ length: bits }, (_, i) => placeTag(uid, name, rangeName(i + 1, place >> (bits - i - 1))));
}

/** Returns the tags of all texts that may be before a text, or equal to it. Null if that may be any text. */
export function tagsOfPlacesTo(uid: string, name: string, text: string, descending: boolean): Tag[] | null {
  const place = placeOf(text);
  const count = descending ? 2 ** bits - place : place + 1;
  if (count === 2 ** bits) return null;
  const ranges: Tag[] = [placeTag(uid, name, 'null')];
  let start = 0;
  for (let length = 1; length <= bits; length++) {
    const size = 2 ** (bits - length);
    if ((count & size) === 0) continue;
    const first = descending ? 2 ** bits - start - size : start;
    ranges.push(placeTag(uid, name, rangeName(length, first / size)));
    start += size;
  }
  return ranges;
}

function rangeName(length: number, prefix: number): string {
  return `${length}.${prefix}`;
}

/** Greater texts, by code points, have no smaller place: 7 bits of the first character and 5 of the second. */
function placeOf(text: string): number {
  const [first, second] = text;
  const high = Math.min(first?.codePointAt(0) ?? 0, 127);
  if (high === 127) return 2 ** bits - 1;
  return high * 32 + Math.min((second?.codePointAt(0) ?? 0) >> 2, 31);
}
