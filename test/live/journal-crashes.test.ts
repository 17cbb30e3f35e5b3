/** No crash and no failing call beside compactions loses an answered change, applies half of one, or forgets a key. */
import { expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { type Fault, faults, SimulatedDisk } from '../journal/simulated-disk.ts';
import { caseCount } from '../support/cases.ts';
import { Site } from './site.ts';

const steps: ((site: Site) => Promise<unknown>)[] = [
  (site) => site.change(),
  // beside the compaction that the first one began
  (site) => Promise.all([site.change(), site.change()]),
  (site) => site.compacted(),
  (site) => site.change(),
  (site) => site.compacted(),
  (site) => site.stop(),
  (site) => site.change(),
  (site) => site.discard(),
  (site) => site.change(),
  (site) => site.compacted(),
  (site) => site.change(),
];

interface Given {
  readonly kind: Fault;
  /** The first call, and how many from there on have the fault. */
  readonly at: number;
  readonly count: number;
  /** How the process ends after each step. Null: it goes on. */
  readonly end: 'off' | 'killed' | null;
}

/** Runs the steps with faults, then starts again without. Returns the number of calls, and the compactions. */
async function run(seed: number, given: Given | null): Promise<{ calls: number; compactions: number }> {
  const disk = new SimulatedDisk(new Random(seed));
  const site = new Site(disk);
  if (given) for (let i = 0; i < given.count; i++) disk.faults.set(given.at + i, given.kind);
  for (const step of steps) {
    await site.recover();
    await step(site);
    if (given?.end) await site.crash(given.end);
  }
  await site.recover();
  const { calls } = disk;
  disk.faults.clear();
  for (const by of ['killed', 'off'] as const) {
    await site.crash(by);
    await site.recover();
    await site.change();
  }
  await site.stop();
  await site.recover();
  return { calls, compactions: site.compactions };
}

test('changes survive faults at any call of a journal that is compacted all the time', {
  timeout: 600_000,
}, async () => {
  const { calls, compactions } = await run(0, null);
  expect(calls).toBeGreaterThan(80);
  expect(compactions).toBeGreaterThanOrEqual(3);
  const random = new Random(Number(process.env.LECTERN_SEED ?? 20261123));
  for (let i = 0; i < caseCount(60, 8); i++) {
    const kind = random.pick(faults);
    const given: Given = {
      kind,
      at: random.integer(0, calls),
      count: ['EIO', 'ENOSPC'].includes(kind) ? random.integer(1, 3) : 1,
      end: random.pick([null, null, 'off', 'killed']),
    };
    await run(i, given).catch((error) => {
      throw new Error(`case ${i}: ${JSON.stringify(given)}`, { cause: error });
    });
  }
});
