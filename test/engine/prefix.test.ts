import { expect, test } from 'vitest';
import { belowPrefix } from '../../src/http/prefix.ts';

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
