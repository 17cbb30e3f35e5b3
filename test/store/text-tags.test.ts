// A comparison whose truth differs between two texts has a tag of the change from one to the other.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldCase } from '../../src/model/schema/case-folding.ts';
import { tagsOfPlace, tagsOfPlacesTo } from '../../src/store/tags/order-tags.ts';
import { tagsOfOperands, tagsOfTexts } from '../../src/store/tags/text-tags.ts';

const seeded = { seed: 4, numRuns: 3000 };
const character = fc.constantFrom('a', 'b', 'B', ' ', 'İ', 'ß', '\u{10400}', '\u{10428}');
const text = (maxLength: number) => fc.array(character, { maxLength }).map((characters) => characters.join(''));

/** Two texts that have a beginning and an end in common, and a part of one of them. */
const edits = fc
  .record({ start: text(30), end: text(30), before: text(5), after: text(5), from: fc.nat(60), length: fc.nat(50) })
  .map(({ start, end, before, after, from, length }) => {
    const texts = [start + before + end, start + after + end] as const;
    return { texts, operand: [...texts[0]].slice(from, from + length).join('') };
  });

const comparisons: Record<string, (value: string, operand: string) => boolean> = {
  contains: (value, operand) => value.includes(operand),
  startsWith: (value, operand) => value.startsWith(operand),
  endsWith: (value, operand) => value.endsWith(operand),
  equal: (value, operand) => value === operand,
};

test.each(Object.entries(comparisons))('an operand of %s meets each text that decides', (_, compare) => {
  let differing = 0;
  const check = ({ texts: [before, after], operand }: { texts: readonly [string, string]; operand: string }) => {
    const tags = tagsOfOperands('type', 'name', [operand]);
    if (tags === null) return operand.length < 3;
    for (const [a, b, wanted] of [[before, after, operand], [before, after, operand].map(foldCase)]) {
      if (compare(a, wanted) === compare(b, wanted)) continue;
      differing++;
      const stale = new Set([...tagsOfTexts('type', 'name', before, after)]);
      if (!tags.some((tag) => stale.has(tag))) return false;
      if (!tagsOfTexts('type', 'name', null, before).some((tag) => tags.includes(tag))) return false;
    }
    return true;
  };
  fc.assert(fc.property(edits, check), seeded);
  expect(differing).toBeGreaterThan(100);
});

test('a change with very many trigrams meets every operand', () => {
  const words = Array.from({ length: 200 }, (_, i) => String.fromCharCode(97 + (i % 26)) + i).join(' ');
  const tags = tagsOfTexts('type', 'name', null, words);
  expect(tags).toHaveLength(1);
  expect(tagsOfOperands('type', 'name', ['never'])).toContain(tags[0]);
});

test('a long change meets every operand, however few trigrams it has', () => {
  const [start, end] = ['start '.repeat(1000), ' end'.repeat(1000)];
  const tags = tagsOfTexts('type', 'name', start + end, start + 'ab'.repeat(3000) + end);
  expect(tags).toHaveLength(1);
  expect(tagsOfOperands('type', 'name', ['never'])).toContain(tags[0]);
});

test('a change in a long text names little more than what changed', () => {
  const start = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ');
  expect(tagsOfTexts('type', 'name', `${start} old end`, `${start} new end`).length).toBeLessThan(45);
});

test('the place of a text meets the places to each text that is not before it', () => {
  const any = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'z', 'A', '~', '\u{1f600}'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 3,
  });
  const check = (value: string, last: string, descending: boolean) => {
    const [a, b] = [value, last].map((each) => Array.from(each, (point) => point.codePointAt(0)!));
    const i = a.findIndex((point, at) => point !== b[at]);
    const order = i < 0 ? a.length - b.length : a[i] - (b[i] ?? -1);
    const places = tagsOfPlacesTo('type', 'name', last, descending);
    if (places === null || (descending ? order < 0 : order > 0)) return true;
    return tagsOfPlace('type', 'name', value).some((tag) => places.includes(tag)) && places.length <= 22;
  };
  fc.assert(fc.property(any, any, fc.boolean(), check), seeded);
});
