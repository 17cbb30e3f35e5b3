import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { iota, toRowList } from '../../src/core/sets/row-set.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { buildTrigramsInSteps } from '../../src/store/texts/build-trigrams.ts';
import type { CaseRule, MatchMode } from '../../src/store/texts/pattern.ts';
import type { TextDictionary } from '../../src/store/texts/text-dictionary.ts';
import { buildTextDictionary, copySorted } from '../../src/store/writer/text/text-column-builder.ts';
import { fold, foldAscii } from '../naive/values.ts';

const work = new CostBudget(Number.POSITIVE_INFINITY);

/**
 * Compares searches of a dictionary with a trigram index with string functions of JavaScript. The pieces make near
 * misses: the same trigrams in another order, upper case letters of one, two and three bytes, one whose lower case is
 * shorter, and characters whose last bytes are equal.
 */
const pieces = ['a', 'B', 'ab', 'abc', 'bca', 'CAB', ' ', 'the ', 'THE', 'é', 'É', 'è', 'ß', 'ẞ', 'İ', 'i', 'Σ', 'ς'];
const more = [
  'Ж',
  'ж',
  '–',
  '’',
  '東',
  '京',
  '🦊',
  '𐐀',
  '𐐨',
  'Å',
  'å',
  '\u0000',
  '\u00a0',
  'K',
  'k',
  '',
  'harbour',
  'Harbor',
];
const alphabet = [...pieces, ...more];

const at: Record<MatchMode, (text: string, needle: string) => boolean> = {
  anywhere: (text, needle) => text.includes(needle),
  start: (text, needle) => text.startsWith(needle),
  end: (text, needle) => text.endsWith(needle),
  whole: (text, needle) => text === needle,
  wildcard: (text, needle) => {
    const points = [...text];
    const wanted = [...needle];
    return points.some((_, start) => {
      const isHere = (point: string, i: number) =>
        point === '_' ? start + i < points.length : points[start + i] === point;
      return wanted.every(isHere);
    });
  },
};

const some = (most: number) => fc.array(fc.constantFrom(...alphabet), { maxLength: most }).map((list) => list.join(''));
const texts = [...new Set(fc.sample(some(30), { numRuns: 1500, seed: 7 }))].sort(byBytes);
const dictionary = dictionaryOf(texts);
dictionary.textSearch.trigrams = runAtOnce(buildTrigramsInSteps(dictionary.textSearch.folded, heapAllocator));
const unindexed = dictionaryOf(texts);
const foldedTexts = texts.map(fold);
const readBy = { exact: (text: string) => text, folded: fold, ascii: foldAscii };

/** Builds the dictionary of sorted texts. */
function dictionaryOf(sorted: readonly string[]): TextDictionary {
  const starts = new Uint32Array(sorted.length + 1);
  for (const [i, text] of sorted.entries()) starts[i + 1] = starts[i] + Buffer.byteLength(text);
  return buildTextDictionary(copySorted(Buffer.from(sorted.join('')), starts, iota(sorted.length)));
}

/** The codes that a search finds, ascending. */
function search(needle: string, mode: MatchMode, rule: CaseRule): Uint32Array {
  const found = dictionary.search(needle, mode, rule, work);
  if (found.kind === 'ranges') throw new Error('a search returns a list or bits');
  return toRowList(found.codes);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Needles: random sequences of pieces, and parts of texts in upper and lower case. */
const part = fc
  .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat({ max: 12 }), fc.constantFrom('as it is', 'upper', 'lower'))
  .map(([text, from, length, form]) => {
    const points = [...text];
    const start = points.length === 0 ? 0 : from % points.length;
    const cut = points.slice(start, start + length).join('');
    return form === 'upper' ? cut.toUpperCase() : form === 'lower' ? cut.toLowerCase() : cut;
  });
const needles = fc.oneof(some(4), part);

for (const mode of ['anywhere', 'start', 'end', 'whole'] as const) {
  for (const rule of ['exact', 'folded', 'ascii'] as const) {
    test(`finds the same as a scan: ${mode}, case rule ${rule}`, () => {
      fc.assert(
        fc.property(needles, (needle) => {
          const found = search(needle, mode, rule);
          const read = readBy[rule];
          const wanted = read(needle);
          const matching = texts.flatMap((text, i) => (at[mode](read(text), wanted) ? [i + 1] : []));
          expect([...found]).toEqual(matching);
        }),
        { numRuns: 400, seed: 1 },
      );
    });
  }
}

test('a search finds the same at the same cost without an index', () => {
  const modes = fc.constantFrom<MatchMode>('anywhere', 'start', 'end', 'whole', 'wildcard');
  const rules = fc.constantFrom<CaseRule>('exact', 'folded', 'ascii');
  fc.assert(
    fc.property(needles, modes, rules, (needle, mode, rule) => {
      const [indexed, read] = [dictionary, unindexed].map((searched) => {
        const budget = new CostBudget(Number.POSITIVE_INFINITY);
        const found = searched.search(needle, mode, rule, budget);
        return {
          kind: found.kind,
          codes: found.kind === 'ranges' ? [] : [...toRowList(found.codes)],
          cost: budget.charged,
        };
      });
      expect(read).toEqual(indexed);
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(unindexed.textSearch.trigrams).toBeNull();
});

test('the trigram index finds every text by its own value', () => {
  expect(dictionary.bytes.length).toBeGreaterThan(16 * 1024);
  for (const [i, text] of texts.entries()) {
    expect(search(text, 'whole', 'exact')).toEqual(Uint32Array.of(i + 1));
  }
});

test('an underscore matches any one character in a search with wildcards', () => {
  const withWildcards = fc
    .tuple(needles, fc.array(fc.nat({ max: 11 }), { minLength: 1 }))
    .map(([needle, wildcards]) => {
      const points = [...needle];
      return points.map((point, i) => (wildcards.includes(i) ? '_' : point)).join('') || '_';
    });
  fc.assert(
    fc.property(withWildcards, (needle) => {
      const found = search(needle, 'wildcard', 'folded');
      const matching = foldedTexts.flatMap((text, i) => (at.wildcard(text, fold(needle)) ? [i + 1] : []));
      expect([...found]).toEqual(matching);
    }),
    { numRuns: 400, seed: 1 },
  );
});
