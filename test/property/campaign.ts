import fc from 'fast-check';
import type { Database, Dialect, Feature, Request, Snapshot } from '../naive/snapshot.ts';
import { type CaseOptions, cases } from './arbitraries.ts';
import { compareCase, type Difference } from './engine.ts';

/** A counterexample in the form of `regressions/`. */
export interface Regression extends Request {
  snapshot: Snapshot;
  dialect: Dialect;
  database?: Database;
  features?: readonly Feature[];
}

export interface Outcome {
  /** Replies compared, those while shrinking left out. */
  compared: number;
  failure: { seed: number; path: string; difference: Difference | null; error: unknown } | null;
}

/** Maximum time for shrinking, in milliseconds. The smallest counterexample found is reported. */
const shrinkingTime = 60_000;

/** Draws `runs` snapshots from the seed and compares every reply with the naive evaluator's. */
export async function runCampaign(options: CaseOptions, seed: number, runs: number): Promise<Outcome> {
  let compared = 0;
  let difference: Difference | null = null;
  let error: unknown = null;
  let deadline = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(cases(options), async (value) => {
    if (value.shrunk && Date.now() > deadline) fc.pre(false);
    try {
      const found = await compareCase(value, () => {
        if (!value.shrunk) compared += 1;
      });
      if (!found || (difference && kindOf(found) !== kindOf(difference))) return;
      difference = found;
    } catch (thrown) {
      if (fc.PreconditionFailure.isFailure(thrown)) throw thrown;
      error = thrown;
    }
    deadline = Math.min(deadline, Date.now() + shrinkingTime);
    throw new Error('the replies differ');
  });
  const details = await fc.check(property, { seed, numRuns: runs });
  if (!details.failed) return { compared, failure: null };
  return { compared, failure: { seed, path: details.counterexamplePath ?? '', difference, error } };
}

/** A counterexample shrinks only to one of the same kind. */
function kindOf({ expected, found }: Difference): string {
  return `${expected.status} ${found.status}`;
}

/** The difference in the form of a regression file. */
export function regressionOf({ snapshot, dialect, database, features, request }: Difference): Regression {
  return { snapshot, dialect, database, features, ...request };
}

/** Everything needed to understand and replay a failure. */
export function describeFailure(
  options: CaseOptions,
  { seed, path, difference, error }: NonNullable<Outcome['failure']>,
): string {
  const lines = [`seed ${seed}, path "${path}", ${JSON.stringify(options)}`];
  if (difference) {
    const { address, expected, found } = difference;
    if (address) lines.push(`address: ${address}`);
    lines.push(`expected: ${JSON.stringify(expected)}`, `found: ${JSON.stringify(found)}`);
    lines.push(`counterexample: ${JSON.stringify(regressionOf(difference))}`);
  }
  if (error instanceof Error) lines.push(error.stack ?? error.message);
  return lines.join('\n');
}
