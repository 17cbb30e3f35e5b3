import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringifyQuery } from '../../src/client/query-string.ts';
import { type CopyForm, printCopy } from '../../src/explorer/copy/copy-forms.ts';
import { printCode } from '../../src/explorer/copy/print-code.ts';
import { queryObject } from '../../src/explorer/copy/query-object.ts';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { routeOf, typeOf } from '../../src/explorer/state/schema-index.ts';
import { caseCount } from '../support/cases.ts';
import { loadShared } from '../support/open-shared.ts';
import { type UrlBinder, urlBinders } from './bound-urls.ts';
import { describedDemo } from './described-demo.ts';
import { RandomUrls } from './random-urls.ts';

/** What is copied asks for what the page shows. */

const seed = Number(process.env.LECTERN_SEED || 20261128);

let schema: Awaited<ReturnType<typeof describedDemo>>;
beforeAll(async () => {
  schema = await describedDemo();
});

function copy(form: CopyForm, url: string, given: { hasToken?: boolean; role?: string } = {}): string {
  const query = parseUrl(url);
  const route = routeOf(schema, query.path);
  const type = typeOf(schema, route?.uid ?? null);
  const apiUrl = 'https://example.org/api';
  return printCopy(form, { query, schema, route, type, apiUrl, url, hasToken: false, role: '', ...given });
}

test('the URL is absolute', () => {
  expect(copy('URL', 'articles?sort=title')).toBe('https://example.org/api/articles?sort=title');
});

test('a shell gives curl the URL as it is, and the token of the environment', () => {
  const url = 'articles?filters[title][$eq]=it\'s $HOME `a` "b"&filters[id][$in][0]=1';
  const script = `curl() { printf '%s\\n' "$@"; }; ${copy('curl', url, { hasToken: true, role: 'editor' })}`;
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { LECTERN_TOKEN: 'secret' } });
  expect(printed.trimEnd().split('\n')).toEqual([
    '-g',
    '-H',
    'Authorization: Bearer secret',
    '-H',
    'X-Lectern-Role: editor',
    `https://example.org/api/${url}`,
  ]);
});

test('fetch is valid code', async () => {
  const url = 'articles?filters[title][$eq]=it\'s \\ "b"';
  const code = copy('fetch', url, { hasToken: true });
  const asked: unknown[] = [];
  const fetch = async (...parts: unknown[]) => {
    asked.push(...parts);
    return { json: async () => ({}) };
  };
  await new Function('fetch', `return (async () => { ${code} })()`)(fetch);
  expect(asked).toEqual([`https://example.org/api/${url}`, { headers: { Authorization: 'Bearer $LECTERN_TOKEN' } }]);
});

describe('the client', () => {
  test('takes an object with operands of their types', () => {
    const url =
      'articles?filters[rating][$gte]=4.5&filters[premium][$eq]=true&filters[author][name][$contains]=12&sort=title,rating:desc' +
      '&fields=title,lead&populate[author][fields]=name&populate[cover]=true&pagination[pageSize]=5';
    expect(copy('client', url)).toBe(`import { createClient } from 'lectern/client';
import type { Schema } from './content';

const client = createClient<Schema>({ url: 'https://example.org/api' });
const { data, meta } = await client.find('articles', {
  filters: {
    rating: { $gte: 4.5 },
    premium: { $eq: true },
    author: { name: { $contains: '12' } },
  },
  sort: ['title', 'rating:desc'],
  fields: ['title', 'lead'],
  populate: { author: { fields: ['name'] }, cover: true },
  pagination: { pageSize: 5 },
});`);
  });

  test('gives way to fetch where no object has the notation of the URL', () => {
    expect(copy('client', 'articles?filters[$or][][id]=1')).toMatch(
      /^\/\/ The client cannot .*\nconst response = await fetch/,
    );
  });

  test('finds one document', () => {
    expect(copy('client', 'articles/article-1?populate=author')).toContain(
      "client.findOne('articles', 'article-1', { populate: { author: true } })",
    );
  });

  test(`writes what the URL means, for random URLs, seed ${seed}`, { timeout: 60_000 }, async () => {
    const { store } = await loadShared('data/demo');
    const binders: UrlBinder[] = urlBinders(store, () => false).filter(({ name }) => name === 'document 5');
    const urls = new RandomUrls(seed);
    let count = 0;
    for (let i = caseCount(3000, 300); i > 0; i--) {
      const url = urls.plain();
      const meaning = binders[0].bind(url);
      if (meaning.query === null) continue;
      const query = parseUrl(url);
      const object = queryObject(query, schema, typeOf(schema, meaning.query.type));
      if (!object) continue;
      const code = printCode(object);
      const text = stringifyQuery(new Function(`return (${code})`)());
      expect(binders[0].bind(`${query.path}?${text}`), `${url}\n${code}`).toEqual(meaning);
      count++;
    }
    expect(count).toBeGreaterThan(100);
  });
});
