import { expect, test } from 'vitest';
import { CostBudget } from '../../src/core/cost-budget.ts';
import { Trace } from '../../src/engine/trace.ts';

test('gives each stage the cost since the one before', () => {
  const trace = new Trace(1000);
  trace.mark('parse');
  const budget = new CostBudget(1000);
  trace.charges(budget);
  budget.charge(10.4);
  trace.mark('plan');
  budget.charge(30);
  trace.mark('page');
  budget.charge(0.2);
  const { stages, cost } = trace.explanation(200, 'plan', 5);
  expect(stages.map(({ stage, cost }) => [stage, cost])).toEqual([
    ['parse', 0],
    ['plan', 10],
    ['page', 30],
  ]);
  for (const { microseconds } of stages) expect(microseconds).toBeGreaterThanOrEqual(0);
  expect(cost).toEqual({ total: 41, limit: 1000 });
});

test('has no cost, plan and page for a request that was not planned', () => {
  const trace = new Trace(1000);
  expect(trace.ofQuery(204, 0)).toMatchObject({ plan: '', tree: null, rewrites: [] });
  expect(trace.explanation(403, 'Forbidden', 9)).toEqual({
    status: 403,
    plan: 'Forbidden',
    tree: null,
    rewrites: [],
    page: '',
    stages: [],
    cost: null,
    bytes: 9,
  });
});

test('describes how the page is found', () => {
  const trace = new Trace(1000);
  trace.paged(
    { kind: 'topK', joined: null, within: null, expectedCost: 0 },
    { keys: [{ path: ['author', 'name'], descending: true }], start: 5, end: 10 },
  );
  expect(trace.explanation(200, '', 0).page).toBe('top-k selection, rows 5 to 10 by author.name descending');
});
