/** Stores with changes differ as the same stores do after a compaction. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryDifferences } from '../../src/changes/diff/compare-entries.ts';
import { type JsonSnapshot, open } from '../../src/index.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { definitions } from '../changes/content.ts';
import { changesBetween, type Entries, EntrySequences } from '../changes/random-entries.ts';
import { caseCount } from '../support/cases.ts';
import { compactHere } from '../support/compact-here.ts';

/** The content of some entries, changed to others one after the other, at each state. */
async function statesOf([first, ...others]: readonly Entries[]): Promise<LoadedSnapshot[]> {
  const content = await open({ ...definitions, entries: first } as unknown as JsonSnapshot);
  const states = [content.history.loaded];
  let before = first!;
  for (const next of others) {
    content.apply({ changes: changesBetween(before, next) });
    states.push(content.history.loaded);
    before = next;
  }
  return states;
}

test('whether or not the stores have the same rows', async () => {
  const property = fc.asyncProperty(new EntrySequences(4), async (sequence) => {
    const states = (await statesOf(sequence)).map((loaded) => ({ loaded, store: loaded.store }));
    const compacted = await Promise.all(states.map(({ loaded }) => compactHere(loaded, new AbortController().signal)));
    for (const [i, { store }] of states.entries()) {
      for (const [j, { store: other }] of states.entries()) {
        const expected = entryDifferences(compacted[i]!, compacted[j]!);
        expect(entryDifferences(store, compacted[j]!)).toEqual(expected);
        expect(entryDifferences(store, other)).toEqual(expected);
      }
    }
  });
  await fc.assert(property, { seed: 20261128, numRuns: caseCount(40, 3) });
});
