/** No crash and no failing call loses an acknowledged transaction, keeps half an append or changes the order. */
import { expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { caseCount } from '../support/cases.ts';
import { type Fault, faults, SimulatedDisk } from './simulated-disk.ts';
import { Workload } from './workload.ts';

/** Appends one by one and at once, rotates beside appends, also to the same base, begins an epoch, and opens again in between. */
const steps: ((workload: Workload) => unknown)[] = [
  (workload) => workload.append(1),
  (workload) => workload.settle(),
  (workload) => {
    workload.append(2);
    workload.append(1);
    workload.append(3);
    return workload.settle();
  },
  (workload) => workload.rotate(Math.min(2, workload.sequence)),
  (workload) => {
    workload.append(1);
    return workload.rotate(workload.sequence);
  },
  (workload) => workload.rotate(workload.baseSequence),
  (workload) => workload.append(1),
  (workload) => workload.close(),
  (workload) => workload.append(2),
  (workload) => workload.beginEpoch(2),
  (workload) => workload.append(1),
  (workload) => workload.settle(),
];

interface Faults {
  readonly kind: Fault;
  /** The first call, and how many from there on have the fault. */
  readonly at: number;
  readonly count: number;
  /** How the process ends if the journal has failed. */
  readonly end: 'close' | 'off';
}

/** Runs the steps with faults, then uses what is left without faults. Returns the number of calls. */
async function run(seed: number, given: Faults | null): Promise<number> {
  const disk = new SimulatedDisk(new Random(seed));
  const workload = new Workload(disk);
  if (given) for (let i = 0; i < given.count; i++) disk.faults.set(given.at + i, given.kind);
  for (const step of steps) {
    await workload.recover();
    await step(workload);
    if (given?.end === 'off' && workload.hasFailed) await workload.stop('off');
  }
  await workload.recover();
  const { calls } = disk;
  disk.faults.clear();
  await workload.close();
  await workload.recover();
  workload.append(2);
  await workload.stop('off');
  await workload.recover();
  workload.append(1);
  await workload.close();
  await workload.recover();
  return calls;
}

const ways = faults.flatMap((kind) => {
  const counts = ['EIO', 'ENOSPC'].includes(kind) ? [1, 2, 3] : [1];
  return counts.map((count) => ({ kind, count }));
});

test.each(ways)('a journal survives $kind at any $count successive calls', async (way) => {
  const calls = await run(0, null);
  expect(calls).toBeGreaterThan(60);
  for (let at = 0; at < calls; at++) {
    for (let seed = 1; seed <= caseCount(4, 1); seed++) {
      const end = (at + seed) % 2 === 0 ? 'close' : 'off';
      await run(at * 100 + seed, { at, end, ...way }).catch((error) => {
        throw new Error(`call ${at}, seed ${seed}`, { cause: error });
      });
    }
  }
});
