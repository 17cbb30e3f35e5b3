// The short form of npm run test:replicas: some rows on the same servers.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { temporaryFolder } from '../support/folders.ts';
import { allRows } from './rows/all-rows.ts';
import { describe, isRight, runOn } from './run-row.ts';
import { Stage } from './stage.ts';

const chosen = [
  'publisher killed between append and journal',
  'Redis restarted without data',
  'connection of a replica refused for 3 s',
];

const random = new Random(1);
let stage: Stage;

beforeAll(async () => {
  stage = await Stage.open(temporaryFolder('lectern-replicas-'), { replicas: 2 });
  await stage.begin();
});

afterAll(() => stage?.close());

test.each(chosen)('%s: no read fails, no change is lost, and no replica stays behind', async (name) => {
  await stage.resume();
  const row = allRows.find((each) => each.name === name)!;
  const verdict = await runOn(stage, row, { rounds: 1, random: () => random.next() });
  expect(isRight(verdict), describe(name, verdict)).toBe(true);
});
