import { describe, expect, test } from 'vitest';
import { type PageState, printPageState, readPageState, urlBelowPrefix } from '../../src/explorer/state/page-state.ts';

describe('the state of the page', () => {
  const target = '/api/articles?filters[title][$eq]=50%25 %23 é&sort=title:desc';

  test.each<PageState>([
    { target: '/api/articles', view: 'table', showsPlan: false },
    { target, view: 'tree', showsPlan: true },
    { target, view: 'raw', showsPlan: false },
  ])('is in its address: %j', (state) => {
    const { search, hash } = new URL(printPageState(state), 'http://localhost/_explorer');
    const read = readPageState(search, hash);
    expect({ ...read, target: decodeURI(read.target) }).toEqual({ ...state, target: decodeURI(state.target) });
  });

  test('has defaults for what an address leaves out or gets wrong', () => {
    expect(readPageState('', '')).toEqual({ target: '', view: 'table', showsPlan: false });
    expect(readPageState('?view=pie', '#/api/authors')).toMatchObject({ target: '/api/authors', view: 'table' });
  });
});

test.each([
  ['/api/articles?sort=title', '', 'articles?sort=title'],
  ['/blue/api/articles', '/blue', 'articles'],
  ['/api/articles', '/blue', 'articles'],
  [' https://cms.example.org/api/articles?_q=/api/x ', '', 'articles?_q=/api/x'],
  ['articles/abc', '', 'articles/abc'],
  ['//articles', '', 'articles'],
  ['/api/\\/other.example/articles', '', 'other.example/articles'],
])('%j names a URL below the prefix of %j', (text, base, expected) => {
  expect(urlBelowPrefix(text, base, '/api')).toBe(expected);
});

test.each(['//other.example/x', '/\\other.example/x', '/\t/other.example/x', '\\\\other.example/x'])(
  'without a prefix, %j is a path of this server',
  (text) => {
    const address = `/${urlBelowPrefix(text, '', '')}`;
    expect(new URL(address, 'http://this.example').href).toBe('http://this.example/other.example/x');
  },
);
