import { expect, test } from 'vitest';
import { staleTagsInSteps } from '../../src/changes/stale-tags.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { segmentOf } from '../../src/store/store.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

test('naming what a batch makes stale takes a step for each row', async () => {
  const thing = 'api::thing.thing';
  const friends = { type: 'relation', relation: 'manyToMany', target: thing };
  const entries = Array.from({ length: 20 }, (_, i) => ({ documentId: `d${i}`, name: 'as it was', friends: ['d1'] }));
  const { history } = await openShared(thingSnapshot({ name: { type: 'string' }, friends }, entries));
  const changes = entries.map((entry) => ({ upsert: thing, entry: { ...entry, name: 'changed', friends: [] } }));
  const { store } = runAtOnce(history.prepareInSteps(changes, 'changes')).loaded;
  const rows = entries.map((_, row) => row);
  const { number } = segmentOf(store, thing).collection;
  const steps = staleTagsInSteps(history.loaded.store, store, new Map([[number, rows]]));
  // its values, and its links
  for (let i = 0; i < 2 * rows.length; i++) expect(steps.next().done).toBe(false);
});
