import { expect, test } from 'vitest';
import { QueryParameters } from '../../src/engine/query-parameters.ts';
import { bindPage } from '../../src/query/bind/bind-page.ts';
import type { BoundQuery } from '../../src/query/bound.ts';
import { extractValues, Placeholders } from '../../src/query/placeholders.ts';
import { parseQuery } from '../../src/query/syntax/parse.ts';
import { parseTree } from '../../src/query/syntax/query-tree.ts';
import { bindArticles, bindingFor } from '../query/binding.ts';

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
  return { parameters: new QueryParameters(binding, placeholders, form, pagination), query, form, values };
}

test('fills in the operands and the page of each request', () => {
  const { parameters, query } = prepare(
    'filters[views][$gte]=1&filters[title]=x&pagination[page]=1&pagination[pageSize]=5',
  );
  const [first, second] = [
    parameters.fill(query, ['7', 'a', '2', '10']),
    parameters.fill(query, ['8', 'b', '3', '20']),
  ];
  expect(first.page).toEqual({ mode: 'page', start: 10, limit: 10, withCount: true });
  expect(second.page).toEqual({ mode: 'page', start: 40, limit: 20, withCount: true });
  expect(first.filter).toMatchObject({ conditions: [{ operands: [7] }, { operands: ['a'] }] });
  expect(second.filter).toMatchObject({ conditions: [{ operands: [8] }, { operands: ['b'] }] });
});

test('rejects the values of one request and then accepts others', () => {
  const { parameters, query } = prepare('filters[views]=1&pagination[page]=1');
  expect(() => parameters.fill(query, ['many', '1'])).toThrow('many');
  expect(() => parameters.fill(query, ['1', 'first'])).toThrow('first');
  expect(parameters.fill(query, ['2', '1']).filter).toMatchObject({ operands: [2] });
});

test('keeps a page that no request chooses', () => {
  const { parameters, query } = prepare('filters[views]=1', false);
  expect(parameters.fill(query, ['2']).page).toBe(query.page);
});

test('counts the bytes of the form twice, and of a pagination that it holds', () => {
  const plain = prepare('filters[views]=1');
  const paged = prepare('filters[views]=1&pagination[page]=1');
  expect(plain.parameters.textBytes).toBeGreaterThanOrEqual(2 * plain.form.length);
  expect(paged.parameters.textBytes - plain.parameters.textBytes).toBeGreaterThan(
    2 * (paged.form.length - plain.form.length),
  );
});
