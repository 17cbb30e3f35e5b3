import { expect, test } from 'vitest';
import type { ReplyTemplate } from '../../src/engine/bound-request.ts';
import { PreparedQuery } from '../../src/engine/prepared-query.ts';
import { bindPage } from '../../src/query/bind/bind-page.ts';
import type { BoundQuery } from '../../src/query/bound.ts';
import { extractValues, Placeholders } from '../../src/query/placeholders.ts';
import { parseQuery } from '../../src/query/syntax/parse.ts';
import { parseTree } from '../../src/query/syntax/query-tree.ts';
import { bindArticles, bindingFor, schema } from '../query/binding.ts';

/** Prepares the form of a query string, with its own page for each request unless `isPaged` is false. */
function prepare(text: string, isPaged = true) {
  const { form, values } = extractValues(text)!;
  const placeholders = new Placeholders();
  const binding = { ...bindingFor('document'), placeholders };
  const limits = { queryBytes: 9999, parameters: 99, depth: 9, arrayLimit: 100 };
  const raw = parseQuery(form, limits, binding.policies.errors, binding.policies.request.readLongLists);
  const tree = parseTree(raw);
  const pagination = isPaged ? tree.pagination : null;
  const page = bindPage(
    binding,
    { rootPage: tree.rootPage, pagination: isPaged ? null : tree.pagination },
    'pagination',
  );
  const query: BoundQuery = { ...bindArticles(binding, raw), page };
  const template = { omitted: [] as readonly string[] } as ReplyTemplate;
  const prepared = new PreparedQuery(template, query, binding, { text: form, placeholders, pagination });
  return { prepared, query, form, values };
}

test('fills in the operands and the page of each request', () => {
  const { prepared } = prepare('filters[views][$gte]=1&filters[title]=x&pagination[page]=1&pagination[pageSize]=5');
  const [first, second] = [prepared.fill(['7', 'a', '2', '10']), prepared.fill(['8', 'b', '3', '20'])];
  expect(first.page).toEqual({ mode: 'page', start: 10, limit: 10, withCount: true });
  expect(second.page).toEqual({ mode: 'page', start: 40, limit: 20, withCount: true });
  expect(first.filter).toMatchObject({ conditions: [{ operands: [7] }, { operands: ['a'] }] });
  expect(second.filter).toMatchObject({ conditions: [{ operands: [8] }, { operands: ['b'] }] });
});

test('rejects the values of one request and then accepts others', () => {
  const { prepared } = prepare('filters[views]=1&pagination[page]=1');
  expect(() => prepared.fill(['many', '1'])).toThrow('many');
  expect(() => prepared.fill(['1', 'first'])).toThrow('first');
  expect(prepared.fill(['2', '1']).filter).toMatchObject({ operands: [2] });
});

test('keeps a page that no request chooses', () => {
  const { prepared, query } = prepare('filters[views]=1', false);
  expect(prepared.fill(['2']).page).toBe(query.page);
});

test('counts the bytes of the form twice, and those of the pagination', () => {
  const plain = prepare('filters[views]=1');
  const paged = prepare('filters[views]=1&pagination[page]=1');
  expect(paged.prepared.bytes(schema) - plain.prepared.bytes(schema)).toBeGreaterThan(
    2 * (paged.form.length - plain.form.length),
  );
});
