import { expect, test } from 'vitest';
import { soakJournalCompaction } from './journal-kills.ts';

test('a server that is killed while it compacts its journal loses no answered change', async () => {
  expect(await soakJournalCompaction(1, (kills) => kills < 8)).toMatch(/^8 kills, \d+ changes kept/);
});
