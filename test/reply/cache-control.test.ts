import { expect, test } from 'vitest';
import { cacheControl } from '../../src/query/reply/reply.ts';

const article = 'api::article.article';
const rules = [
  { role: 'public', type: article, value: 'max-age=60' },
  { role: 'public', value: 'max-age=10' },
  { role: 'public', type: 'api::author.author', value: 'never reached' },
  { role: 'editor', type: article, value: 'private, no-cache' },
];

test.each<[role: string, type: string, value: string]>([
  ['public', article, 'max-age=60'],
  ['public', 'api::author.author', 'max-age=10'],
  ['public', '', 'max-age=10'],
  ['editor', article, 'private, no-cache'],
  ['editor', 'api::author.author', 'private, max-age=0, must-revalidate'],
])('the first rule that matches the role %s and the type %s wins', (role, type, value) => {
  expect(cacheControl(rules, role, type)).toBe(value);
});

test('without a rule, caches revalidate at each use, and only replies to the public are shared', () => {
  expect(cacheControl([], 'public', article)).toBe('public, max-age=0, must-revalidate');
  expect(cacheControl([], 'editor', article)).toBe('private, max-age=0, must-revalidate');
});
