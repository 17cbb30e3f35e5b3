/** Segments after random batches have the rows, values and columns of a naive model and of columns built afresh. */

import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { Problems } from '../../src/core/problems.ts';
import type { CodeSet } from '../../src/core/sets/code-set.ts';
import { toRowList } from '../../src/core/sets/row-set.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { Schema } from '../../src/model/schema/schema.ts';
import type { Column } from '../../src/store/columns/column.ts';
import type { Dictionary } from '../../src/store/columns/dictionary.ts';
import type { Delta } from '../../src/store/overlay/delta.ts';
import type { DeltaColumn } from '../../src/store/overlay/delta-column.ts';
import { mergeDeltaInSteps } from '../../src/store/overlay/merge-delta.ts';
import { nextId, rowOfId, type Segment } from '../../src/store/segment.ts';
import { segmentOf } from '../../src/store/store.ts';
import type { DeltaTextDictionary } from '../../src/store/texts/delta-text-dictionary.ts';
import type { MatchMode } from '../../src/store/texts/pattern.ts';
import { type BuiltRows, CollectionBuilder } from '../../src/store/writer/collection-builder.ts';
import { prepareDigests } from '../../src/store/writer/rows/row-digest.ts';
import { StoreBuilder } from '../../src/store/writer/store-builder.ts';
import { caseCount } from '../support/cases.ts';
import { thingSnapshot } from '../support/guide.ts';

const mergeDelta = (...given: Parameters<typeof mergeDeltaInSteps>) => runAtOnce(mergeDeltaInSteps(...given));

const uid = 'api::thing.thing';
const attributes = {
  short: { type: 'string' },
  long: { type: 'text' },
  rich: { type: 'richtext' },
  address: { type: 'email' },
  slug: { type: 'uid' },
  kind: { type: 'enumeration', enum: ['a', 'b', 'c'] },
  day: { type: 'date' },
  hour: { type: 'time' },
  moment: { type: 'datetime' },
  stamp: { type: 'timestamp' },
  whole: { type: 'integer' },
  big: { type: 'biginteger' },
  real: { type: 'float' },
  exact: { type: 'decimal' },
  flag: { type: 'boolean' },
  extra: { type: 'json' },
  body: { type: 'blocks' },
};
const names = Object.keys(attributes);

/** Few, so that rows share values: of each length in UTF-8, beyond surrogates, and with case to fold. */
const pieces = ['a', 'B', 'ab', 'É', 'é', 'İ', 'ß', 'ẞ', 'Σ', '東', '\ue000', '\uffff', '🦊', '𐐀', '\0', '_', '\ufeff'];
const text = fc.oneof(
  fc.constantFrom('', 'a', 'A', 'ab', '🦊', '\ue000', '\uffff'),
  fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join('')),
  fc.constantFrom('x', 'é').map((piece) => piece.repeat(3_000)),
);
const json = fc.oneof(text, fc.integer({ min: 0, max: 3 }), fc.constantFrom({ b: 1, a: [null] }, {}, false));
const number = fc.constantFrom(0, -0, 1, -1, 1.5, 2 ** 53, -1e-7, 1e21, 12.25);
const values: Record<string, fc.Arbitrary<unknown>> = {
  short: text,
  long: text,
  rich: text,
  address: text,
  slug: text,
  kind: fc.constantFrom('a', 'b', 'c'),
  day: fc.constantFrom('1969-12-31', '2026-01-01', '2026-01-02', '0001-01-01', '9999-12-31'),
  hour: fc.constantFrom('00:00:00', '12:30:00', '12:30:00.500', '23:59:59.999'),
  moment: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '1960-05-05T05:05:05.000Z'),
  stamp: fc.constantFrom('0', '-1', '1767225600000'),
  whole: fc.constantFrom(0, -0, 1, -1, 2 ** 53 - 1),
  big: fc.constantFrom(
    '0',
    '-1',
    '9223372036854775807',
    '9223372036854775806',
    '-9223372036854775808',
    '9007199254740993',
  ),
  real: number,
  exact: number,
  flag: fc.boolean(),
  extra: json,
  body: fc.constantFrom([], [{ type: 'paragraph', children: [{ type: 'text', text: 'É' }] }]),
};

interface Entry {
  readonly id: number;
  readonly documentId: string;
  readonly isPublished: boolean;
  readonly [attribute: string]: unknown;
}

const entry = (ids: fc.Arbitrary<number>): fc.Arbitrary<Entry> => {
  const rest = Object.entries(values).map(([name, value]) => [name, fc.option(value, { freq: 4 })]);
  const documentId = fc.constantFrom('a', 'b', 'c');
  const own = fc.record({ id: ids, documentId, isPublished: fc.boolean() });
  return fc.tuple(own, fc.record(Object.fromEntries(rest))).map(([own, rest]) => ({ ...rest, ...own }));
};
const batch = fc.record({
  upserted: fc.uniqueArray(entry(fc.integer({ min: 1, max: 40 })), { selector: ({ id }) => id, maxLength: 6 }),
  deleted: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
});
type Batch = { upserted: Entry[]; deleted: number[] };
const base = fc.uniqueArray(entry(fc.integer({ min: 1, max: 30 })), { selector: ({ id }) => id, maxLength: 12 });
const needles = fc.oneof(text, fc.constantFrom('1', '-1', '2026-01', '.5', '{', 'É', 'é', 'a_', '_', '__B'));

const options = { derived: { versionLinks: false, jsonTexts: true } };
let schema: Schema;

beforeAll(async () => {
  const snapshot = thingSnapshot(attributes, []);
  Object.assign(snapshot.contentTypes![0]!, { options: { draftAndPublish: true } });
  ({ schema } = (await loadSnapshot(snapshot)).store);
  await prepareDigests();
});

function segmentFrom(entries: readonly Entry[]): Segment {
  const builder = new StoreBuilder(schema, new Problems('strict'), options);
  add(entries, builder.rows(uid));
  return segmentOf(builder.finish('en'), uid);
}

function build(entries: readonly Entry[]): BuiltRows {
  const problems = new Problems('strict');
  const builder = new CollectionBuilder(schema.types.get(uid)!, problems, options);
  add(entries, builder);
  problems.throwIfAny();
  return builder.finish();
}

function add(entries: readonly Entry[], builder: CollectionBuilder): void {
  for (const { isPublished, ...rest } of entries) builder.add(rest, isPublished, 'entry');
}

/** What a segment should hold, by row. */
class Model {
  readonly entries: (Entry | null)[];
  readonly changed = new Set<number>();
  greatestId: number;
  isInIdOrder = true;
  readonly #baseSize: number;

  constructor(base: readonly Entry[]) {
    this.entries = base.toSorted((a, b) => a.id - b.id);
    this.#baseSize = base.length;
    this.greatestId = this.entries.at(-1)?.id ?? 0;
  }

  rowOf(id: number): number | undefined {
    const row = this.entries.findIndex((entry) => entry?.id === id);
    return row < 0 ? undefined : row;
  }

  upsert(entries: readonly Entry[]): void {
    for (const entry of entries.toSorted((a, b) => a.id - b.id)) {
      const row = this.rowOf(entry.id) ?? this.entries.length;
      if (row === this.entries.length && entry.id <= this.greatestId) this.isInIdOrder = false;
      this.greatestId = Math.max(this.greatestId, entry.id);
      this.entries[row] = entry;
      this.changed.add(row);
    }
  }

  delete(row: number): void {
    this.entries[row] = null;
    this.changed.delete(row);
  }

  get deltaRows(): number[] {
    return [...this.changed].sort((a, b) => a - b);
  }

  get hasDelta(): boolean {
    return this.changed.size > 0 || this.entries.length > this.#baseSize;
  }
}

function apply(segment: Segment, model: Model, { upserted, deleted }: Batch): Segment {
  const ids = new Set(upserted.map(({ id }) => id));
  const removed = deleted.filter((id) => !ids.has(id)).flatMap((id) => model.rowOf(id) ?? []);
  const next = mergeDelta(segment, upserted.length > 0 ? build(upserted) : null, removed);
  for (const row of removed) model.delete(row);
  model.upsert(upserted);
  return next;
}

function expectRows(segment: Segment, { entries, greatestId, isInIdOrder, hasDelta, deltaRows }: Model): void {
  const { collection, delta } = segment;
  const rows = [...entries.keys()];
  const live = rows.filter((row) => entries[row]);
  expect(segment.rowCount).toBe(entries.length);
  expect(rows.filter((row) => segment.isLive(row))).toEqual(live);
  expect([...segment.dead]).toEqual(rows.filter((row) => !entries[row]));
  expect(live.filter((row) => segment.published!.has(row))).toEqual(live.filter((row) => entries[row]!.isPublished));
  expect(live.filter((row) => segment.drafts!.has(row))).toEqual(live.filter((row) => !entries[row]!.isPublished));
  for (let id = 1; id <= 45; id++) {
    const row = live.find((row) => entries[row]!.id === id);
    expect(rowOfId(segment, id)).toBe(row);
  }
  expect(nextId(segment)).toBe(greatestId + 1);
  expect(segment.isInIdOrder).toBe(isInIdOrder);
  expect(delta !== null).toBe(hasDelta);
  if (!delta) return;
  expect([...delta.rows]).toEqual(deltaRows);
  const ofBase = rows.slice(0, collection.rowCount);
  const replaced = ofBase.filter((row) => !entries[row] || deltaRows.includes(row));
  expect([...delta.replaced.toArray()]).toEqual(replaced);
}

function expectValues({ collection, delta }: Segment, { entries, deltaRows }: Model): void {
  if (!delta) return;
  // ids that give the rows the order of the delta
  const fresh = build(deltaRows.map((row, i) => ({ ...entries[row]!, id: i + 1 })));
  for (const [row, jsonRows] of delta.jsonRows.entries()) {
    expect(jsonRows.value(0, 'id')).toBe(entries[deltaRows[row]!]!.id);
    for (const name of names) expect(jsonRows.value(0, name)).toEqual(fresh.jsonRows.value(row, name));
    expect(jsonRows.offsets.at(-1)).toBe(jsonRows.bytes.buffer.byteLength);
  }
  expect(delta.jsonRows).toHaveLength(deltaRows.length);
  for (const of of ['columns', 'jsonTexts'] as const) {
    expect([...delta[of].keys()]).toEqual([...collection[of].keys()]);
    for (const [name, column] of delta[of]) {
      if (name !== 'id') expectColumn(column, fresh[of].get(name)!);
      expectPlaces(column, collection[of].get(name)!);
    }
  }
  expect([...delta.columns.get('id')!.codes].map((code) => valuesOf(delta.columns.get('id')!)[code - 1])).toEqual(
    deltaRows.map((row) => entries[row]!.id),
  );
}

function expectColumn(column: Column, fresh: Column): void {
  expect(column.codes).toEqual(fresh.codes);
  expect(column.index.offsets).toEqual(fresh.index.offsets);
  expect(column.index.rows).toEqual(fresh.index.rows);
  expect(column.index.bitmaps).toBeNull();
  expect(valuesOf(column)).toEqual(valuesOf(fresh));
}

function expectPlaces({ lesser, isKnown, dictionary }: DeltaColumn, base: Column): void {
  const baseValues = valuesOf(base);
  expect([lesser[0], isKnown[0]]).toEqual([0, 1]);
  expect([lesser.length, isKnown.length]).toEqual([dictionary.size + 1, dictionary.size + 1]);
  for (const [i, value] of valuesOf({ dictionary }).entries()) {
    expect(lesser[i + 1]).toBe(baseValues.filter((other) => isLess(other, value)).length);
    expect(isKnown[i + 1]).toBe(baseValues.includes(value) ? 1 : 0);
  }
}

function valuesOf({ dictionary }: Pick<Column, 'dictionary'>): readonly (string | number | bigint | true)[] {
  switch (dictionary.kind) {
    case 'text':
      return Array.from({ length: dictionary.size }, (_, i) => dictionary.text(i));
    case 'presence':
      return [true];
    default:
      return [...dictionary.values];
  }
}

function isLess(a: string | number | bigint | true, b: string | number | bigint | true): boolean {
  return typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) < 0 : a < b;
}

const modes: readonly MatchMode[] = ['anywhere', 'start', 'end', 'whole', 'wildcard'];

/** Compares all that conditions ask of a dictionary. */
function expectLookUps(dictionary: Dictionary, fresh: Dictionary, needle: string, operands: readonly unknown[]): void {
  if (dictionary.kind === 'presence' || fresh.kind === 'presence') return;
  for (const operand of operands as string[]) {
    expect(dictionary.find(operand)).toBe(fresh.find(operand));
    expect(dictionary.lowerBound(operand)).toBe(fresh.lowerBound(operand));
    expect(dictionary.upperBound(operand)).toBe(fresh.upperBound(operand));
  }
  if (dictionary.kind === 'text' && fresh.kind === 'text') {
    expect(dictionary.prefixBounds(needle)).toEqual(fresh.prefixBounds(needle));
  }
  for (const mode of modes) {
    for (const folded of [false, true]) {
      const budget = () => new CostBudget(Number.POSITIVE_INFINITY);
      const found = codesIn(dictionary.search(needle, mode, folded, budget()));
      expect(found).toEqual(codesIn(fresh.search(needle, mode, folded, budget())));
    }
  }
}

function codesIn(set: CodeSet): number[] {
  if (set.kind === 'ranges') throw new Error('a search returns a list or bits');
  return [...toRowList(set.codes)];
}

test('a segment after any batches has the rows and values of the entries', () => {
  fc.assert(
    fc.property(base, fc.array(batch, { maxLength: 6 }), (entries, batches) => {
      let segment = segmentFrom(entries);
      const { id, collection } = segment;
      const model = new Model(entries);
      for (const batch of batches) {
        segment = apply(segment, model, batch);
        expectRows(segment, model);
        expectValues(segment, model);
      }
      expect(segment.id).toBe(id);
      expect(segment.collection).toBe(collection);
    }),
    { numRuns: caseCount(400, 30), seed: 1 },
  );
});

test('a delta finds what a column built afresh finds', () => {
  fc.assert(
    fc.property(base, fc.array(batch, { minLength: 1, maxLength: 4 }), needles, (entries, batches, needle) => {
      const model = new Model(entries);
      const { delta } = batches.reduce((segment, batch) => apply(segment, model, batch), segmentFrom(entries));
      if (!delta) return;
      const fresh = build(model.deltaRows.map((row, i) => ({ ...model.entries[row]!, id: i + 1 })));
      for (const of of ['columns', 'jsonTexts'] as const) {
        for (const [name, { dictionary }] of delta[of]) {
          const other = fresh[of].get(name)!;
          const ofText = ['', needle, `${needle}\0`];
          const operands = dictionary.kind === 'text' ? ofText : dictionary.kind === 'bigint' ? [0n, 7n] : [0, 1.2, -2];
          if (name !== 'id') expectLookUps(dictionary, other.dictionary, needle, [...operands, ...valuesOf(other)]);
        }
      }
    }),
    { numRuns: caseCount(400, 30), seed: 2 },
  );
});

describe('a batch', () => {
  const entries = Array.from({ length: 20 }, (_, i) => ({
    ...entryOf(i + 1),
    short: `title ${i}`,
    long: 'x'.repeat(100 + i),
  }));

  test('copies only the texts and JSON that it brings', () => {
    const before = mergeDelta(segmentFrom([]), build(entries), []);
    const after = mergeDelta(before, build([{ ...entries[4]!, short: 'other' }]), []);
    const [old, merged] = [before.delta!, after.delta!];
    for (const [row, json] of merged.jsonRows.entries()) expect(json === old.jsonRows[row]).toBe(row !== 4);
    const texts = ({ columns }: Delta, name: string) => (columns.get(name)!.dictionary as DeltaTextDictionary).texts;
    expect(texts(merged, 'short').filter((text) => !texts(old, 'short').includes(text))).toHaveLength(1);
    for (const [name, column] of merged.columns) expect(column === old.columns.get(name)).toBe(name !== 'short');
  });

  test('compares the texts that it brings with few others', () => {
    const before = mergeDelta(segmentFrom([]), build(entries), []);
    const { texts } = before.delta!.columns.get('long')!.dictionary as DeltaTextDictionary;
    let reads = 0;
    for (const text of texts) {
      const { bytes } = text;
      const get = () => {
        reads++;
        return bytes;
      };
      Object.defineProperty(text, 'bytes', { get });
    }
    mergeDelta(before, build([{ ...entries[4]!, long: 'x'.repeat(150) }]), [7]);
    expect(reads).toBeGreaterThan(0);
    // two binary searches in 20 texts
    expect(reads).toBeLessThanOrEqual(2 * 5 + 1);
  });

  test('that changes and deletes one entry is rejected', () => {
    expect(() => mergeDelta(segmentFrom(entries), build([entries[4]!]), [4])).toThrow(
      'a batch changes and deletes the api::thing.thing with id 5',
    );
  });

  test('without the columns of the collection is rejected', () => {
    const { jsonTexts, ...built } = build([entries[4]!]);
    expect(() => mergeDelta(segmentFrom(entries), { ...built, jsonTexts: new Map() }, [])).toThrow(
      'a batch has no column extra',
    );
  });

  test('that deletes rows twice changes nothing more', () => {
    const once = mergeDelta(segmentFrom(entries), null, [3, 7, 3]);
    expect(once.delta).toBeNull();
    expect([...once.dead]).toEqual([3, 7]);
    expect(mergeDelta(once, null, [7]).dead).toBe(once.dead);
  });
});

function entryOf(id: number): Entry {
  return { id, documentId: 'a', isPublished: true };
}
