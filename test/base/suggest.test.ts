import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../src/core/suggest.ts';

const names = ['title', 'rating', 'author', 'publishedOn'];

test.each([
  ['titel', 'title'],
  ['Title', 'title'],
  ['publishedon', 'publishedOn'],
  ['autor', 'author'],
  ['Raitng', 'rating'],
  ['tilte', 'title'],
  ['raiting', 'rating'],
])('suggests the nearest name for %s', (name, nearest) => {
  expect(nearestName(name, names)).toBe(nearest);
  expect(didYouMean(name, names)).toBe(` (did you mean "${nearest}"?)`);
});

test.each(['x', 'category', '', 'title'])('suggests nothing for %j', (name) => {
  expect(didYouMean(name, names)).toBe('');
});

test('compares no name of more than 64 characters', () => {
  expect(nearestName(`${'a'.repeat(64)}b`, ['a'.repeat(64)])).toBeNull();
  expect(nearestName('a'.repeat(63), ['a'.repeat(64)])).toBe('a'.repeat(64));
});
