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

test('examples use words and characters of the content', async () => {
  expect(await filtersFor('“Quoted” words', 'Éclair')).toMatchObject({ contains: 'Quoted', startsWith: 'É' });
  expect(await filtersFor('“日本”', '🍰 cake')).toMatchObject({ contains: '日本', startsWith: '🍰' });
});
