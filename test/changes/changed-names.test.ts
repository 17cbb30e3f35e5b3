import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedNames } from '../../src/changes/batch/changed-names.ts';

test('changed names are those of a copy, and the sets before stay as they are', () => {
  const names = fc.array(fc.integer({ min: 0, max: 2000 }).map(String), { maxLength: 900, size: 'max' });
  fc.assert(
    fc.property(names, fc.array(fc.tuple(names, names), { maxLength: 5 }), (first, changes) => {
      let changed: ReadonlySet<string> = new Set(first);
      for (const [removed, added] of changes) {
        const before = new Set(changed);
        const expected = new Set(before);
        for (const name of removed) expected.delete(name);
        for (const name of added) expected.add(name);
        const after = changedNames(changed, { removed, added });
        expect([...after].sort()).toEqual([...expected].sort());
        expect(after.size).toBe(expected.size);
        for (let i = 0; i <= 2000; i += 7) expect(after.has(`${i}`)).toBe(expected.has(`${i}`));
        expect(new Set(changed)).toEqual(before);
        changed = after;
      }
    }),
    { numRuns: 20, seed: 11 },
  );
});

test('a change does not go through all names', () => {
  class Watched extends Set<string> {
    override [Symbol.iterator](): never {
      throw new Error('all names are read');
    }
  }
  const names = new Watched();
  names.add('a');
  const added = changedNames(names, { removed: [], added: ['b'] });
  expect(['a', 'b'].map((name) => changedNames(added, { removed: ['a'], added: [] }).has(name))).toEqual([false, true]);
  expect(changedNames(names, { removed: ['c'], added: ['a'] })).toBe(names);
});
