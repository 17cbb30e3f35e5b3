import { expect, test } from 'vitest';
import { exampleQueries } from '../../../src/http/home/examples.ts';
import { open } from '../../../src/index.ts';
import { thingSnapshot } from '../../support/guide.ts';

/** The queries to try on the page at `/`. */

async function filtersFor(...titles: string[]): Promise<Record<string, string>> {
  const entries = titles.map((title, index) => ({ documentId: `t${index}`, title }));
  const content = await open(thingSnapshot({ title: { type: 'string' } }, entries));
  const operands: Record<string, string> = {};
  for (const { route, query } of exampleQueries(content)) {
    expect(content.find(route, query, { role: 'public' }).data.length, JSON.stringify(query)).toBeGreaterThan(0);
    for (const [, operator, operand] of JSON.stringify(query).matchAll(/"\$(\w+)":"([^"]*)"/g))
      operands[operator] = operand;
  }
  return operands;
}

test('examples search case-insensitively in text with upper and lower case', async () => {
  const found = await filtersFor('“Quoted” words', 'Éclair', '日本');
  expect(found).toMatchObject({ containsi: 'Quoted', startsWithi: 'É' });
});

test('examples search case-sensitively in text without case, or whose upper case is another letter', async () => {
  const found = await filtersFor('“日本”', 'ß', 'İ', '1984');
  expect(found).toMatchObject({ contains: '日本', startsWith: '1' });
  expect(found).not.toHaveProperty('containsi');
});
