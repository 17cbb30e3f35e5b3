/**
 * Tags of the places of texts in sort order. A list that is sorted by a text does not change when a text moves behind
 * its last entry. A place is a number of 9 bits, of the first two characters, and a range of places is named by the
 * first 3, 6 or 9 bits. So the tags of a text are 3, and up to 21 cover all places before an entry.
 */
import { type Attribute, isScalar } from '../../model/schema/schema.ts';
import { placeTag, type Tag } from './tags.ts';
import { isText } from './text-tags.ts';

const bitsPerLevel = 3;
const levels = 3;
const placeCount = 2 ** (bitsPerLevel * levels);
const lastPlace = 96 * 5;

/** Returns whether the texts of an attribute have places: nobody sorts by long texts. */
export function hasPlaces(attribute: Attribute | undefined): boolean {
  return isText(attribute) && isScalar(attribute!) && attribute.type !== 'text' && attribute.type !== 'richtext';
}

/** Returns the tags of a text, or of null, in an attribute. */
export function tagsOfPlace(uid: string, name: string, text: string | null): Tag[] {
  if (text === null) return [placeTag(uid, name, 'null')];
  const place = placeOf(text);
  return Array.from({ length: levels }, (_, i) => placeTag(uid, name, rangeName(i, place >> shiftOf(i))));
}

/** Returns the tags of all texts that may be before a text, or equal to it. Null if that may be any text. */
export function tagsOfPlacesTo(uid: string, name: string, text: string, descending: boolean): Tag[] | null {
  const place = placeOf(text);
  if (place === (descending ? 0 : lastPlace)) return null;
  let remaining = descending ? placeCount - place : place + 1;
  const ranges: Tag[] = [placeTag(uid, name, 'null')];
  let start = 0;
  for (let level = 0; level < levels; level++) {
    const size = 2 ** shiftOf(level);
    for (; remaining >= size; remaining -= size, start += size) {
      const first = descending ? placeCount - start - size : start;
      ranges.push(placeTag(uid, name, rangeName(level, first / size)));
    }
  }
  return ranges;
}

function shiftOf(level: number): number {
  return bitsPerLevel * (levels - level - 1);
}

function rangeName(level: number, prefix: number): string {
  return `${level}.${prefix}`;
}

/** Greater texts, by code points, have no smaller place: one of 96 by the first character, and of 5 by the second. */
function placeOf(text: string): number {
  const [first, second] = text;
  const high = Math.min(Math.max((first?.codePointAt(0) ?? 0) - 31, 0), 96);
  // one character alone has each place between the first and the last
  return high * 5 + (high === 0 || high === 96 ? 0 : secondPlace(second));
}

/** Lower case letters are the most. */
function secondPlace(second: string | undefined): number {
  if (second === undefined) return 0;
  return ['a', 'g', 'm', 's'].filter((letter) => second >= letter).length;
}
