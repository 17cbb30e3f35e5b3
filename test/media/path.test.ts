import { expect, test } from 'vitest';
import { headersOf } from '../../src/media/headers.ts';
import { pathBelow } from '../../src/media/path.ts';

test.each([
  ['/cat.png', 'cat.png'],
  ['/a/b%20c.png?x=1#y', 'a/b c.png'],
  ['/', null],
  ['/a//b', null],
  ['/.env', null],
  ['/a/../b', null],
  ['/%2e%2e/b', null],
  ['/a%5cb', null],
  ['/a%00', null],
  ['/%zz', null],
  ['cat.png', null],
])('the URL %s names the file %s', (url, path) => {
  expect(pathBelow(url)).toBe(path);
});

test.each([
  ['cat_1a2b3c4d5e.png', 31_536_000, 'public, max-age=31536000, immutable'],
  ['cat.png', 31_536_000, 'public, max-age=3600'],
  ['cat.png', 60, 'public, max-age=60'],
  ['cat_1a2b3c4d5e.png', 0, 'public, max-age=0, must-revalidate'],
])('%s with a maximum of %d s gets Cache-Control %s', (path, maxAge, expected) => {
  expect(new Map(headersOf(path, maxAge)).get('Cache-Control')).toBe(expected);
});

test.each([
  ['page.HTML', true, 'attachment'],
  ['feed.xml', true, 'attachment'],
  ['drawing.svg', true, undefined],
  ['cat.png', false, undefined],
])('%s is sandboxed: %s, and its disposition is %s', (path, isSandboxed, disposition) => {
  const headers = new Map(headersOf(path, 60));
  expect(headers.has('Content-Security-Policy')).toBe(isSandboxed);
  expect(headers.get('Content-Disposition')).toBe(disposition);
});
