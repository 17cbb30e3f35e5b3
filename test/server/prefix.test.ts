import { expect, test } from 'vitest';
import { belowPrefix, createPathReader, mountedPath } from '../../src/http/prefix.ts';

test.each([
  ['/api/articles?sort=title', '/api', 'articles?sort=title'],
  ['/api/', '/api', ''],
  ['/articles', '', 'articles'],
  ['/v1/api/articles/a%2Fb', '/v1/api', 'articles/a%2Fb'],
  ['/%61pi/articles?x=/%', '/api', 'articles?x=/%'],
  ['/api', '/api', null],
  ['/apis/articles', '/api', null],
  ['/API/articles', '/api', null],
  ['/api%2Farticles', '/api', null],
  ['/v1%2Fapi/articles', '/v1/api', null],
  ['/%/articles', '/api', null],
  ['/other?next=%2Fapi%2Farticles', '/api', null],
  ['', '/api', null],
])('%s below %j', (url, prefix, expected) => expect(belowPrefix(url, prefix)).toBe(expected));

test.each([
  ['/api/articles?sort=title', '/api', 'articles?sort=title'],
  ['/API/Articles', '/api', 'Articles'],
  ['http://host/api/articles', '/api', 'articles'],
  ['/api/', '/api', ''],
  ['/api', '/api', null],
  ['/apis/articles', '/api', null],
  ['/%61pi/articles', '/api', null],
  ['/articles?sort=title', '', 'articles?sort=title'],
  ['http://host/articles', '', 'articles'],
  ['/_HEALTH/articles', '', null],
  ['/uploads/a.png', '', null],
  ['/?sort=title', '', null],
  ['*', '', null],
])('a request for %s below %j', (url, prefix, expected) => {
  expect(createPathReader({ prefix, hasUploads: true })(url)).toBe(expected);
});

test.each([
  ['/articles?sort=title', 'articles?sort=title'],
  ['http://host/articles', 'articles'],
  ['http://host?sort=title', ''],
])('a request for %s in a mounted app', (url, expected) => expect(mountedPath(url)).toBe(expected));
