import { expect, test } from 'vitest';
import { encodeRecordInSteps, type Transaction } from '../../src/changes/journal/format.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { writeJsonInSteps } from '../../src/core/write-json.ts';

const values: object[] = [
  {},
  [],
  [[], {}, [[]], { a: [] }, null, 0, '', true],
  { a: undefined, b: { c: undefined, d: 1 }, e: [undefined, [undefined]] },
  { 'a"\n': '\u{1f600}\ud800', list: ['\u{1f600}', { deep: { deeper: [{ deepest: 'é' }] } }] },
  { long: Array.from({ length: 3000 }, (_, i) => ({ text: `€${i}`.repeat(10) })) },
];

test.each([0, 1, 2, 3, 9])('writes what JSON.stringify writes, with texts of their own down to level %d', (depth) => {
  for (const value of values) {
    expect(Buffer.concat(runAtOnce(writeJsonInSteps(value, depth))).toString()).toBe(JSON.stringify(value));
  }
});

test('the record of a batch takes a step for each entity and each list of links', () => {
  const changes = { entities: Array(1000).fill({ type: 't', id: 1, data: {} }), links: Array(500).fill({ type: 't' }) };
  const transaction: Transaction = { epoch: 1, sequence: 1, previous: null, changes };
  const steps = encodeRecordInSteps([transaction]);
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(1500);
});
