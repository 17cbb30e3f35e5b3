/** Every example of docs/extending.md, run on the demo. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Content, type OpenOptions, open } from '../../src/index.ts';
import { readConfig } from '../../src/model/settings/read-config.ts';
import { blocksOf, pageAt } from '../documents/pages.ts';
import { ask } from '../support/guide.ts';
import { moduleFile, removeModulesAfterAll } from './module.ts';

removeModulesAfterAll();

const demo = join(import.meta.dirname, '../../data/demo');

const blocks = blocksOf(pageAt('docs/extending.md')).map(({ text }) => text.trim());
const modules = blocks.filter((block) => block.startsWith('// lectern.extension.mjs'));

const openDemo = (options: OpenOptions): Promise<Content> => open(demo, options);
const dataOf = async (content: Content, path: string, query = '') => (await ask(content, path, query)).body.data as any;

test('the page contains the examples tested here and commands', () => {
  const others = blocks.filter((block) => !modules.includes(block));
  expect(modules).toHaveLength(3);
  expect(others.map((block) => block.split('\n')[0])).toEqual([
    'lectern routes path/to/strapi-project > lectern.json',
    '{',
    '// lectern.extension.ts',
    'lectern check content.tar.gz --config lectern.json',
  ]);
});

test('the example of the setting works', async () => {
  const file = moduleFile(blocks.find((block) => block.startsWith('{'))!, 'lectern.json');
  const { routes } = readConfig({ file });
  const content = await openDemo({ routes });
  const articles = await dataOf(content, '/api/articles', 'filters[premium]=true');
  expect(articles).toHaveLength(25);
  for (const { premium, author } of articles) {
    expect(premium).toBe(false);
    expect(Object.keys(author ?? { id: 1, documentId: 1, name: 1 })).toEqual(['id', 'documentId', 'name']);
  }
  const titles = articles.map(({ title }: { title: string }) => title);
  expect(titles).toEqual(
    content.find('articles', { filters: { premium: false }, sort: 'title' }).data.map(({ title }: any) => title),
  );
  expect(await dataOf(content, `/api/articles/${articles[0].documentId}`)).toHaveProperty('categories');
});

test('the first module works: a hook by role and a custom route', async () => {
  const content = await openDemo({ extend: moduleFile(modules[0]) });
  const found = await ask(content, '/api/articles', 'filters[rating][$gte]=4&pagination[pageSize]=100');
  const expected = { rating: { $gte: 4 }, premium: false };
  expect(found.body.meta).toMatchObject({
    pagination: { total: content.find('articles', { filters: expected }).meta.pagination.total },
  });
  const [{ slug }] = content.find('articles').data;
  expect(await dataOf(content, `/api/articles/by-slug/${slug}`)).toMatchObject({ slug, author: {} });
  expect((await ask(content, '/api/articles/by-slug/nosuch')).status).toBe(404);
  expect(content.summary.customRoutes).toEqual(['/api/articles/by-slug/:slug']);
});

test('the module with types compiles and works', async () => {
  const text = blocks.find((block) => block.startsWith('// lectern.extension.ts'))!;
  // the package is not installed beside the test
  const untyped = text.replace(
    "import { defineExtension } from 'lectern';",
    'const defineExtension = (extension) => extension;',
  );
  const content = await openDemo({ extend: moduleFile(untyped) });
  expect(Object.keys(await dataOf(content, '/api/homepage')).length).toBeGreaterThan(
    Object.keys(await dataOf(content, '/api/homepage', 'populate=')).length,
  );
});

test('the example of a rejecting hook works', async () => {
  const content = await openDemo({ extend: moduleFile(modules[1]) });
  expect((await ask(content, '/api/articles', 'locale=xx')).body.error).toMatchObject({
    status: 400,
    message: 'There is no locale xx',
  });
  expect((await ask(content, '/api/articles')).status).toBe(200);
});

test('the example of replies that are not JSON works', async () => {
  const content = await openDemo({ extend: moduleFile(modules[2]) });
  const sitemap = await content.answer('/api/sitemap.xml');
  expect(sitemap.headers).toMatchObject({ 'Content-Type': 'application/xml', 'Cache-Control': 'public, max-age=600' });
  const { total } = content.find('articles', {}, { role: 'public' }).meta.pagination!;
  expect(total).toBeGreaterThan(100);
  const url = /<url><loc>https:\/\/example\.org\/[^<]+<\/loc><\/url>/g;
  expect(String(sitemap.body).match(url)).toHaveLength(total);
  expect(String(sitemap.body).replaceAll(url, '')).toBe('<urlset></urlset>');
  expect(await content.answer('/api/latest')).toMatchObject({
    status: 302,
    headers: { Location: '/api/articles?sort=publishedOn:desc' },
  });
});
