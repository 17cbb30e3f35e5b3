import { expect, test } from 'vitest';
import { WorkBudget } from '../../../src/follow/project/comparison-schedule.ts';

test('work after a pause begins at once, and takes its share in the long run', () => {
  const budget = new WorkBudget(0.1, 1000, 0);
  expect(budget.delay(0)).toBe(0);
  budget.spend(1000, 0);
  expect(budget.delay(0)).toBe(0);
  budget.spend(50, 0);
  expect(budget.delay(0)).toBe(500);
  expect(budget.delay(400)).toBe(100);
  expect(budget.delay(500)).toBe(0);
  let worked = 0;
  let now = 500;
  for (; now < 1_000_000; now += budget.delay(now) + 1) {
    budget.spend(80, now);
    worked += 80;
  }
  expect(worked / now).toBeCloseTo(0.1, 2);
});

test('no more than the limit is saved up', () => {
  const budget = new WorkBudget(0.1, 1000, 0);
  budget.spend(1100, 1_000_000);
  expect(budget.delay(1_000_000)).toBe(1000);
});
