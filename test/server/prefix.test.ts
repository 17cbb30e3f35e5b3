import { expect, test } from 'vitest';
import { createPathReader, mountedPath } from '../../src/http/prefix.ts';
import { askServer } from '../support/http.ts';
import { openThings, start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

test.each([
  ['/api/articles?sort=title', '/api', 'articles?sort=title'],
  ['/API/Articles', '/api', 'Articles'],
  ['http://host/api/articles', '/api', 'articles'],
  ['/api/', '/api', ''],
  ['/api', '/api', null],
  ['/apis/articles', '/api', null],
  ['/%61pi/articles', '/api', null],
  ['/v1/api/articles/a%2Fb', '/v1/api', 'articles/a%2Fb'],
  ['/v1%2Fapi/articles', '/v1/api', null],
  ['/%/articles', '/api', null],
  ['/other?next=%2Fapi%2Farticles', '/api', null],
  ['', '/api', null],
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

test.each([
  ['/API/things/thing-1', 200],
  ['http://host/api/things/thing-1', 200],
  ['/%61pi/things/thing-1', 404],
  ['/things/thing-1', 404],
])('the library answers %s as the server does', async (url, status) => {
  const content = await openThings();
  const { port } = await start({}, content);
  expect((await askServer(port, url)).status).toBe(status);
  expect((await content.answer(url)).status).toBe(status);
  expect(content.explain(url).status).toBe(status);
});
