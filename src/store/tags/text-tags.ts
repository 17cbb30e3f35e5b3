/**
 * Tags of the characters in texts. A comparison that is true only of texts which contain its operand changes only with a
 * text that has a trigram of the operand near what changed.
 */
import { foldCase } from '../../model/schema/case-folding.ts';
import { type Attribute, isScalar } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import { type Tag, trigramTag } from './tags.ts';

/** An operand depends on one trigram of each part of this many characters. */
const partLength = 12;

/** Maximum number of trigrams of one change. Those of more are not named. */
const maximumTrigrams = 96;

/** Maximum number of characters of a change that are searched for trigrams. */
const maximumLength = 4096;

export function isText(attribute: Attribute | undefined): boolean {
  return attribute !== undefined && isScalar(attribute) && comparisonKindOf(attribute.type) === 'text';
}

/**
 * Returns the tags of the change from one text to another, or to or from none: those of all trigrams as near to the
 * first or the last character that differs as the length of a part. A text that contains an operand which the other one
 * does not contain, or not at the same end, has one of these characters, or one next to them, in the operand.
 */
export function tagsOfTexts(uid: string, name: string, before: string | null, after: string | null): Tag[] {
  const [start, end] = commonEnds(before ?? '', after ?? '');
  const chosen = new Set<string>();
  for (const text of [before, after]) {
    if (text === null) continue;
    if (text.length - start - end > maximumLength) return [longTextTag(uid, name)];
    for (const trigram of trigramsOf(text, start - partLength, text.length - end + partLength)) chosen.add(trigram);
  }
  if (chosen.size > maximumTrigrams) return [longTextTag(uid, name)];
  return Array.from(chosen, (trigram) => trigramTag(uid, name, trigram));
}

/** Returns the tags of all changes of texts that contain one of the operands. Null if an operand is too short. */
export function tagsOfOperands(uid: string, name: string, operands: readonly string[]): Tag[] | null {
  if (operands.some(({ length }) => length < 3)) return null;
  const tags = [longTextTag(uid, name)];
  for (const operand of operands) {
    for (let start = 0; start < operand.length; start += partLength) {
      const part = trigramsOf(operand, Math.min(start, operand.length - 3), start + partLength);
      // rare letters are the greater ones
      tags.push(trigramTag(uid, name, part.sort().at(-1)!));
    }
  }
  return tags;
}

/** The changes of an attribute with too many trigrams to name. */
function longTextTag(uid: string, name: string): Tag {
  return trigramTag(uid, name, '');
}

/** Returns the lengths of what two texts begin and end with. Together they are in both. */
function commonEnds(text: string, other: string): [start: number, end: number] {
  const length = Math.min(text.length, other.length);
  let start = 0;
  while (start < length && text.charCodeAt(start) === other.charCodeAt(start)) start++;
  let end = 0;
  const [last, otherLast] = [text.length - 1, other.length - 1];
  while (end < length - start && text.charCodeAt(last - end) === other.charCodeAt(otherLast - end)) end++;
  return [start, end];
}

/** Returns the runs of three characters in a part of a text, after folding case, which changes no length. */
function trigramsOf(text: string, start: number, end: number): string[] {
  // half a surrogate pair has no case
  const from = Math.max(start, 0) - (isSurrogate(text.charCodeAt(Math.max(start, 0))) ? 1 : 0);
  const to = end + (isSurrogate(text.charCodeAt(end - 1)) ? 1 : 0);
  const part = foldCase(text.slice(Math.max(from, 0), to));
  return Array.from({ length: Math.max(part.length - 2, 0) }, (_, i) => part.slice(i, i + 3));
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
