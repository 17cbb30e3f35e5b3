/** Searches in the texts of a delta find what a search of each text finds, over many batches. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { toRowList } from '../../src/core/sets/row-set.ts';
import { DeltaText, DeltaTextDictionary } from '../../src/store/texts/delta-text-dictionary.ts';
import type { CaseRule, MatchMode } from '../../src/store/texts/pattern.ts';
import { caseCount } from '../support/cases.ts';

const pieces = ['a', 'B', 'b', 'c', 'Ab', 'É', 'é', 'İ', 'ß', 'ẞ', 'Σ', '東', '🦊', '\0', '_', ' ', 'the', 'quick'];
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
const texts = fc.uniqueArray(text, { minLength: 60, maxLength: 160 });
const needle = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((parts) => parts.join('')),
  text,
);
const batches = fc.array(fc.record({ added: texts, keptShare: fc.constantFrom(0, 0.1, 0.9, 1) }), { maxLength: 6 });
const modes: readonly MatchMode[] = ['anywhere', 'start', 'end', 'whole', 'wildcard'];

test('each dictionary of a row of batches finds what a search of each of its texts finds', () => {
  fc.assert(
    fc.property(texts, batches, fc.array(needle, { minLength: 1, maxLength: 4 }), (first, batches, needles) => {
      const dictionaries = [dictionaryAfter(null, first, 0)];
      for (const { added, keptShare } of batches) {
        dictionaries.push(dictionaryAfter(dictionaries.at(-1)!, added, keptShare));
        // some are searched before the next batch, all after the last one
        if (added.length % 2 === 0) expectSearches(dictionaries.at(-1)!, needles[0]!);
      }
      for (const dictionary of dictionaries) for (const needle of needles) expectSearches(dictionary, needle);
    }),
    { numRuns: caseCount(100, 15), seed: 3 },
  );
});

test('a search costs as much as searches of each text', () => {
  const dictionary = dictionaryAfter(
    null,
    Array.from({ length: 100 }, (_, i) => 'x'.repeat(i * 7)),
    0,
  );
  for (const mode of modes) {
    const each = dictionary.texts.map((text) => search(new DeltaTextDictionary([text]), 'a_b', mode, 'exact').cost);
    const sum = each.reduce((sum, cost) => sum + cost, 0);
    // the second search finds the signatures of the first
    for (let i = 0; i < 2; i++) expect(search(dictionary, 'a_b', mode, 'exact').cost).toBe(sum);
  }
});

/** Returns a dictionary with a part of the texts of the one before. */
function dictionaryAfter(
  before: DeltaTextDictionary | null,
  added: readonly string[],
  keptShare: number,
): DeltaTextDictionary {
  const kept = (before?.texts ?? []).slice(0, Math.floor((before?.size ?? 0) * keptShare));
  const known = new Set(kept.map(String));
  const edge = Uint8Array.of(0xff);
  const brought = added
    .filter((text) => !known.has(text))
    .map((text) => new DeltaText(Buffer.concat([edge, Buffer.from(text), edge])));
  const sorted = [...kept, ...brought].sort((a, b) => Buffer.compare(a.bytes.subarray(1, -1), b.bytes.subarray(1, -1)));
  return new DeltaTextDictionary(sorted, before);
}

function expectSearches(dictionary: DeltaTextDictionary, needle: string): void {
  for (const mode of modes) {
    for (const rule of ['exact', 'folded', 'ascii'] as const) {
      const { codes } = search(dictionary, needle, mode, rule);
      const matches = dictionary.texts.flatMap((text, i) =>
        search(new DeltaTextDictionary([text]), needle, mode, rule).codes.length > 0 ? [i + 1] : [],
      );
      expect(codes).toEqual(matches);
    }
  }
}

function search(dictionary: DeltaTextDictionary, needle: string, mode: MatchMode, rule: CaseRule) {
  const budget = new CostBudget(Number.POSITIVE_INFINITY);
  const found = dictionary.search(needle, mode, rule, budget);
  if (found.kind === 'ranges') throw new Error('a search returns a list or bits');
  return { codes: [...toRowList(found.codes)], cost: budget.charged };
}
