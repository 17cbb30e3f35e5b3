import { expect, test } from 'vitest';
import { headerList, headerPlan } from '../../src/query/reply/reply.ts';

test('short lists are whole, separated by a comma and a blank, and URI-encoded', () => {
  expect(headerList([])).toBe('');
  expect(headerList(['author', 'émigré'])).toBe('author,%20%C3%A9migr%C3%A9');
  expect(headerPlan('scan\n  filter')).toBe('scan%0A%20%20filter');
});

test.each([
  ['a list', headerList, ', ', 1024],
  ['a plan', (texts: string[]) => headerPlan(texts.join('\n')), '\n', 4096],
] as const)(
  '%s that is too long ends with the number of missing texts, within its limit',
  (_, write, separator, limit) => {
    for (const length of [1, 7, 100]) {
      const texts = Array.from({ length: 2000 }, () => 'x'.repeat(length));
      const value = decodeURI(write(texts));
      expect(value.length).toBeLessThanOrEqual(limit);
      const shown = value.split(separator);
      const missing = /^\+(\d+) more$/.exec(shown.pop()!)?.[1];
      expect(shown.length + Number(missing)).toBe(texts.length);
      expect(shown).toEqual(texts.slice(0, shown.length));
    }
  },
);

test('a text that is longer than the limit is only counted', () => {
  expect(decodeURI(headerList(['x'.repeat(1025)]))).toBe('+1 more');
});
