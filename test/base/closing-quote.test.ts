import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { closingQuote } from '../../src/core/json-tokens.ts';

test('is the first quote after an even number of backslashes', () => {
  const piece = fc.constantFrom('"', '\\', '\\\\', '\\"', 'x', 'x'.repeat(61), 'x'.repeat(200), '\\"'.repeat(50));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(300), (pieces, to) => {
      const text = pieces.join('');
      const [content] = /^(?:[^"\\]|\\.)*/.exec(text)!;
      const expected = text[content.length] === '"' ? content.length : -1;
      const bytes = Buffer.from(text);
      expect(closingQuote(bytes, 0)).toBe(expected);
      expect(closingQuote(bytes, 0, to)).toBe(expected < to ? expected : -1);
    }),
    { seed: 3, numRuns: 5000 },
  );
});

test('takes few native searches for many escaped quotes', () => {
  const bytes = Buffer.from(`${'\\"'.repeat(10_000)}"`);
  const search = vi.spyOn(bytes, 'indexOf');
  expect(closingQuote(bytes, 0)).toBe(20_000);
  expect(search.mock.calls.length).toBeLessThan(400);
});
