import { expect, test } from 'vitest';
import { soakJournal } from './kills.ts';

test('a process that is killed while it appends loses no acknowledged transaction', async () => {
  expect(await soakJournal(1, (kills) => kills < 10)).toMatch(/^10 kills, \d+ transactions/);
});
