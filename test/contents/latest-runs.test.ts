import { expect, test } from 'vitest';
import { LatestRuns } from '../../src/content/previews/latest-runs.ts';

test('a run that fails does not stop those after it', async () => {
  let state = 1;
  const runs = new LatestRuns(
    () => state,
    (known) => known === state,
    async (of) => {
      if (of < 3) throw new Error(`run ${of}`);
      return of;
    },
  );
  const first = runs.get();
  const alsoFirst = runs.get();
  await expect(first).rejects.toThrow('run 1');
  await expect(alsoFirst).rejects.toThrow('run 1');
  state = 2;
  const second = runs.get();
  await Promise.resolve();
  state = 3;
  await Promise.all([expect(second).rejects.toThrow('run 2'), expect(runs.get()).resolves.toBe(3)]);
});
