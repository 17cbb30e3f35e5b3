/** A journal under random use, faults and crashes, as fast-check commands. */
import fc, { type AsyncCommand } from 'fast-check';
import { test } from 'vitest';
import { Random } from '../../bench/random.ts';
import { caseCount } from '../support/cases.ts';
import { faults, SimulatedDisk } from './simulated-disk.ts';
import { Workload } from './workload.ts';

interface Real {
  readonly disk: SimulatedDisk;
  readonly workload: Workload;
}
type Command = AsyncCommand<object, Real>;

/** The workload is its own model. Each command begins with an open journal. */
function command(name: string, perform: (real: Real) => unknown): Command {
  return {
    check: () => true,
    run: async (_, real) => {
      await real.workload.recover();
      await perform(real);
    },
    toString: () => name,
  };
}

const commands: fc.Arbitrary<Command>[] = [
  fc.integer({ min: 1, max: 4 }).map((count) => command(`append ${count}`, ({ workload }) => workload.append(count))),
  fc
    .array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 4 })
    .map((counts) => command(`append ${counts} at once`, ({ workload }) => counts.map((n) => workload.append(n)))),
  fc.constant(command('settle', ({ workload }) => workload.settle())),
  fc
    .integer({ min: 0, max: 3 })
    .map((behind) => command(`rotate ${behind} behind`, ({ workload }) => workload.rotate(workload.sequence - behind))),
  fc
    .integer({ min: 0, max: 3 })
    .map((count) => command(`begin an epoch with ${count}`, ({ workload }) => workload.beginEpoch(count))),
  fc.constant(command('close', ({ workload }) => workload.close())),
  fc.constantFrom('off', 'killed').map((by) => command(by, ({ workload }) => workload.stop(by))),
  fc
    .record({ after: fc.integer({ min: 0, max: 12 }), kind: fc.constantFrom(...faults) })
    .map(({ after, kind }) =>
      command(`"${kind}" in ${after} calls`, ({ disk }) => void disk.faults.set(disk.calls + after, kind)),
    ),
];

// found that a power cut brought back a record whose cut had not been synced
const seeds = [1955890122, Number(process.env.LECTERN_SEED || 20261122)];

test.each(seeds)(
  'a journal keeps every acknowledged transaction, in order, through random faults and crashes (seed %i)',
  async (campaign) => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands, { maxCommands: 40, size: 'max' }),
        fc.integer(),
        async (sequence, seed) => {
          const disk = new SimulatedDisk(new Random(seed));
          const workload = new Workload(disk);
          await fc.asyncModelRun(() => ({ model: {}, real: { disk, workload } }), sequence);
          disk.faults.clear();
          await workload.recover();
          await workload.stop('off');
          await workload.recover();
        },
      ),
      { numRuns: caseCount(500, 200), seed: campaign },
    );
  },
);
