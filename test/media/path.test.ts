import { expect, test } from 'vitest';
import { cachingOf, headersOf, pathBelow } from '../../src/http/files/uploads.ts';

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

test.each<[string, number | undefined, boolean, string]>([
  ['cat_1a2b3c4d5e.png', undefined, false, 'public, max-age=31536000, immutable'],
  ['cat.png', undefined, false, 'public, max-age=3600'],
  ['cat.png', 60, false, 'public, max-age=60'],
  ['cat_1a2b3c4d5e.png', 0, false, 'public, max-age=0, must-revalidate'],
  ['cat_1a2b3c4d5e.png', undefined, true, 'public, max-age=60'],
  ['cat.png', undefined, true, 'public, max-age=60'],
  ['cat_1a2b3c4d5e.png', 86_400, true, 'public, max-age=86400, immutable'],
  ['cat_1a2b3c4d5e.png', 0, true, 'public, max-age=0, must-revalidate'],
])('%s with uploadsMaxAge %s, of a Strapi that replaces files: %s, gets Cache-Control %s', (...given) => {
  const [path, maxAge, replacesFiles, expected] = given;
  expect(new Map(headersOf(path, cachingOf(maxAge, replacesFiles))).get('Cache-Control')).toBe(expected);
});

test.each([
  ['page.HTML', true, 'attachment'],
  ['feed.xml', true, 'attachment'],
  ['drawing.svg', true, undefined],
  ['cat.png', false, undefined],
])('%s is sandboxed: %s, and its disposition is %s', (path, isSandboxed, disposition) => {
  const headers = new Map(headersOf(path, cachingOf(60, false)));
  expect(headers.has('Content-Security-Policy')).toBe(isSandboxed);
  expect(headers.get('Content-Disposition')).toBe(disposition);
});
