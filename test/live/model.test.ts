import { describe, expect, test } from 'vitest';
import type { JsonSnapshot } from '../../src/index.ts';
import type { Dialect } from '../naive/snapshot.ts';
import { fillContent } from '../property/content.ts';
import { QueryContext } from '../property/query-context.ts';
import { randomSchema } from '../property/schema.ts';
import { caseCount } from '../support/cases.ts';
import { addressesOf, randomAddresses } from './addresses.ts';
import { findDifference, openFor, withoutDigest } from './compare.ts';
import { kinds } from './kinds.ts';
import { keyOf, type Model } from './model.ts';
import { completeSnapshot, modelOf, omitPolymorphicInverses } from './model-of-snapshot.ts';
import { randomFrom } from './random-from.ts';
import { writeExport } from './write-export.ts';

describe.each<Dialect>(['document', 'strapi'])('in the dialect %s', (dialect) => {
  test('the model of a snapshot, written as an export, answers as the snapshot does', async () => {
    for (let seed = 1; seed <= caseCount(20, 1); seed++) {
      const random = randomFrom(seed);
      const snapshot = randomSchema(random);
      omitPolymorphicInverses(snapshot);
      fillContent(random, snapshot);
      completeSnapshot(snapshot);
      const model = modelOf(snapshot);
      const context = new QueryContext(random, snapshot, dialect);
      const addresses = [...addressesOf(random, model), ...randomAddresses(context, 20)];
      const found = await openFor(writeExport(model), dialect);
      const expected = await openFor(snapshot as unknown as JsonSnapshot, dialect);
      expect([seed, await findDifference(found, expected, addresses, withoutDigest)]).toEqual([seed, null]);
    }
  });
});

test('every kind of change leaves each id once, and no link from or to a row that is gone', () => {
  const drawn = new Set<string>();
  for (let seed = 1; seed <= caseCount(40, 4); seed++) {
    const random = randomFrom(seed);
    const snapshot = randomSchema(random);
    fillContent(random, snapshot);
    completeSnapshot(snapshot);
    const model = modelOf(snapshot);
    for (const [name, draw] of Object.entries(kinds)) {
      const batch = draw(random, model);
      if (!batch) continue;
      drawn.add(name);
      model.apply(batch);
      expect([seed, name, mistakesIn(model)]).toEqual([seed, name, []]);
    }
  }
  expect([...drawn]).toEqual(expect.arrayContaining(Object.keys(kinds)));
});

function mistakesIn(model: Model): string[] {
  const mistakes: string[] = [];
  const seen = new Set<string>();
  for (const [uid, rows] of model.entities) {
    for (const [entry, data] of rows) {
      for (const { type, id } of model.rowsIn(uid, entry, data)) {
        if (seen.has(keyOf(type, id))) mistakes.push(`${type} ${id} exists twice`);
        seen.add(keyOf(type, id));
      }
    }
  }
  for (const [row, lists] of model.links) {
    if (!seen.has(row)) mistakes.push(`${row} has links`);
    for (const { type, id } of [...lists.values()].flat()) {
      if (!seen.has(keyOf(type, id))) mistakes.push(`${row} links to ${type} ${id}`);
    }
  }
  return mistakes;
}
