/** A store with changes is described, attached and compacted. */
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { attachStore, describeStore } from '../../src/store/attach-store.ts';
import { attachChanges } from '../../src/store/overlay/attach-changes.ts';
import {
  type DescribedSegment,
  describeChangesInSteps,
  baseOf as withoutChanges,
} from '../../src/store/overlay/describe-changes.ts';
import { nextId } from '../../src/store/segment.ts';
import type { Store } from '../../src/store/store.ts';
import { withRowsInOrder } from '../../src/store/writer/rows/json-rows-builder.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { caseCount } from '../support/cases.ts';
import {
  applyToContent,
  applyToStore,
  baseOf,
  build,
  copyOf,
  histories,
  idsInLoadOrder,
  type Shape,
} from './linked-content.ts';

beforeAll(prepareDigests);

function described(store: Store): DescribedSegment[] {
  const steps = describeChangesInSteps(store);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Returns the store as another thread gets it. */
function sent(store: Store): Store {
  const { manifest, arrays } = describeStore(withoutChanges(store));
  return attachChanges(attachStore(store.schema, { manifest, arrays }), structuredClone(described(store)));
}

/** Everything that an image holds of a store, but the greatest ids. */
function written(store: Store) {
  const { manifest, arrays } = describeStore(withRowsInOrder(store));
  const numbers = Object.entries(manifest.arrays.numbers).filter(([name]) => !name.endsWith('/greatestId'));
  return { ...manifest, arrays: { ...manifest.arrays, numbers }, bytes: arrays.map((array) => [...array]) };
}

test('after any batches, the compacted store is that of a fresh build, and later batches lead to the same there and in another thread', () => {
  fc.assert(
    fc.property(histories, fc.nat(3), ({ shape, base, isShuffled, changes }, compactedAt) => {
      const { schema, content, store: first } = baseOf(shape, base, isShuffled);
      const freshOf = (store: Store) => build(schema, shape, content, (uid) => idsInLoadOrder(store, uid));
      let store = first;
      let compacted: Store | null = null;
      let attached: Store | null = null;
      for (const [i, batch] of changes.entries()) {
        const applied = applyToContent(content, batch);
        store = applyToStore(store, shape, applied).store;
        compacted &&= applyToStore(compacted, shape, applied).store;
        attached &&= applyToStore(attached, shape, applied).store;
        if (i !== compactedAt) continue;
        attached = sent(store);
        expect(described(attached)).toEqual(described(store));
        compacted = copyOf(attached, shape);
        expect(written(compacted)).toEqual(written(freshOf(store)));
      }
      if (!compacted || !attached) return;
      expect(described(attached)).toEqual(described(store));
      expect([compacted.contentDigest, attached.contentDigest]).toEqual([store.contentDigest, store.contentDigest]);
      expect(compacted.segments.map(nextId)).toEqual(store.segments.map(nextId));
      expect(written(copyOf(compacted, shape))).toEqual(written(freshOf(compacted)));
    }),
    { numRuns: caseCount(1000, 60), seed: 20 },
  );
});

test('the ids of dead rows are not given again after a compaction, nor after a second one', () => {
  const shape: Shape = { omitted: [], drafts: true, localized: false, linksLocalizations: false };
  const rowOf = (id: number) => ({ uid: 'api::a.a', id, row: { documentId: 'x', values: {}, published: true } });
  const { store } = baseOf(shape, { upserted: [1, 2, 9].map(rowOf), deleted: [], links: [] }, false);
  const changed = applyToStore(store, shape, { upserted: [], deleted: [rowOf(9)], links: [] }).store;
  const segmentOf = ({ segments, byUid }: Store) => segments[byUid.get('api::a.a')!.number]!;
  const once = copyOf(changed, shape);
  expect(segmentOf(once).rowCount).toBe(2);
  expect(nextId(segmentOf(once))).toBe(10);
  expect(nextId(segmentOf(copyOf(sent(once), shape)))).toBe(10);
});
