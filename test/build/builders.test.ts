// What a store is built with: numbers and bytes that grow, texts that are sorted as bytes, columns.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrowableBytes, GrowableDoubles, GrowableNumbers } from '../../src/core/memory/growable-buffers.ts';
import type { ScalarType } from '../../src/model/schema/schema.ts';
import type { Comparable } from '../../src/model/schema/value-types.ts';
import { columnBuilder } from '../../src/store/writer/columns/column-builder.ts';
import { Utf8Writer } from '../../src/store/writer/rows/utf8-writer.ts';
import { sortTexts } from '../../src/store/writer/text/text-column-builder.ts';

describe('growable buffers', () => {
  test.each([GrowableNumbers, GrowableDoubles])('numbers are returned unchanged (%o), also after reuse', (Growable) => {
    const growable = new Growable();
    // past the first, second and third reservation of addresses
    for (const count of [600_000, 5]) {
      for (let i = 0; i < count; i++) growable.push(i * 7);
      expect(growable).toHaveLength(count);
      expect(growable.at(count - 1)).toBe((count - 1) * 7);
      expect(growable.toArray().every((value, i) => value === i * 7)).toBe(true);
      expect(growable.take()).toHaveLength(count);
      expect(growable).toHaveLength(0);
    }
  });

  test('bytes are returned unchanged, from text and from other bytes', () => {
    const growable = new GrowableBytes();
    const texts = ['', 'plain', 'Łódź 🍕', '\0', 'x'.repeat(70_000), 'é'.repeat(700_000)];
    for (let time = 0; time < 2; time++) {
      for (const text of texts) expect(growable.push(text)).toBe(Buffer.byteLength(text));
      growable.copy(Buffer.from('<inside>'), 1, 7);
      expect(growable.take().toString()).toBe(`${texts.join('')}inside`);
      expect(growable).toHaveLength(0);
    }
  });

  test('bytes are moved in several pieces', () => {
    const growable = new GrowableBytes();
    const piece = Buffer.from(Uint8Array.from({ length: 2 ** 20 + 7 }, (_, i) => i % 251));
    for (let i = 0; i < 40; i++) growable.copy(piece, 0, piece.length);
    const bytes = growable.take();
    expect(bytes).toHaveLength(40 * piece.length);
    for (let i = 0; i < 40; i++)
      expect(bytes.compare(piece, 0, piece.length, i * piece.length, (i + 1) * piece.length)).toBe(0);
  });
});

/** Texts that share their beginnings, from few characters of each length in UTF-8. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'aaaaaaaa', '\0', '\x7f', 'é', '\uffff', '\ue000', '🍕', '😀'), { maxLength: 8 })
  .map((parts) => parts.join(''));

test('texts are sorted by their bytes, however many are equal', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const starts = new Uint32Array(texts.length + 1);
      for (const [i, text] of texts.entries()) starts[i + 1] = starts[i] + Buffer.byteLength(text);
      const order = Uint32Array.from(texts.keys());
      sortTexts(Buffer.from(texts.join('')), starts, order);
      const expected = texts.map((text) => Buffer.from(text)).sort(Buffer.compare);
      expect(Array.from(order, (i) => texts[i])).toEqual(expected.map((bytes) => bytes.toString()));
    }),
  );
});

describe('the UTF-8 writer', () => {
  test('writes JSON of any length and characters, whatever came before', () => {
    const long = fc.tuple(text, fc.constantFrom(40, 47, 48, 49, 5_460, 5_465, 16_383, 16_384)).map(
      // exactly so many units, mostly of ASCII
      ([start, length]) => start.padEnd(length, 'x').slice(-length),
    );
    const any = fc.oneof(
      { weight: 3, arbitrary: text },
      { weight: 1, arbitrary: long },
      fc.constantFrom('"', '\\', '\n'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(any, fc.constantFrom('text', 'raw', 'bytes')), { maxLength: 30 }), (values) => {
        const json = new Utf8Writer();
        const whole = values.filter(([value]) => value.isWellFormed());
        let expected = '';
        for (const [value, as] of whole) {
          if (as === 'bytes') json.bytes(Buffer.from(value));
          else json[as](value);
          expected += as === 'text' ? JSON.stringify(value) : value;
          expect(json).toHaveLength(Buffer.byteLength(expected));
        }
        expect(json.take().toString()).toBe(expected);
      }),
    );
  });
});

describe('a column has the pushed values in row order', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  test.each<[ScalarType, fc.Arbitrary<Comparable>]>([
    ['string', text],
    ['float', fc.oneof(finite, fc.constantFrom(0, -0, 1, 1.5, 1e300))],
    ['biginteger', fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.constantFrom(0n, 1n))],
  ])('%s', (type, value) => {
    fc.assert(
      fc.property(fc.array(fc.option(value, { nil: undefined }), { maxLength: 100 }), (values) => {
        const builder = columnBuilder(type);
        // each twice in a row, as versions of a document are
        for (const one of values) for (let time = 0; time < 2; time++) builder.push(one);
        // rows in the opposite order
        const { codes, dictionary } = builder.finish(
          Uint32Array.from({ length: values.length * 2 }, (_, i) => i).reverse(),
        );
        const distinct = new Set(values.filter((one) => one !== undefined));
        expect(dictionary.size).toBe(distinct.size);
        const expected = values.flatMap((one) => {
          const code = one === undefined ? 0 : dictionary.upperBound(one);
          if (one !== undefined) expect(dictionary.lowerBound(one)).toBe(code - 1);
          return [code, code];
        });
        expect(Array.from(codes)).toEqual(expected.reverse());
      }),
    );
  });
});
