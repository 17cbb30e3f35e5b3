/**
 * One change of content as every log has it: the journal on disk, the publication for replicas, the messages between
 * threads. A log is a base and the changes that lead from it to the present state.
 */
import { z } from 'zod';
import type { Steps } from '../../core/steps.ts';
import { writeJsonInSteps } from '../../core/write-json.ts';

/** A change, and the states before and after. Plain JSON: `undefined`, NaN and dates do not survive. */
export interface LoggedChange {
  readonly epoch: number;
  /** One more than that of the change before. The first of a log follows the sequence of its base. */
  readonly sequence: number;
  readonly digests: StateDigests;
  /** A batch of `changes/batch/batch.ts`. No log reads it: it is validated when it is applied. */
  readonly changes: unknown;
}

/** Those of `stateDigest`. */
export interface StateDigests {
  readonly before: string;
  readonly after: string;
}

/** Not strict: what a later version adds within a format is left out. */
export const loggedChange = {
  epoch: z.int(),
  sequence: z.int(),
  changes: z.unknown(),
};

export const stateDigests: z.ZodType<StateDigests> = z.object({ before: z.string(), after: z.string() });

/** Levels of changes down to the entities and links of a batch: each is written in a step of its own. */
const writtenLevels = 4;

/** Returns the JSON of a list of changes in pieces of UTF-8. It begins with the epoch of the first. */
export function encodeChangesInSteps(changes: readonly Omit<LoggedChange, 'digests'>[]): Steps<Buffer[]> {
  const ordered = changes.map(({ epoch, sequence, ...rest }) => ({ epoch, sequence, ...rest }));
  return writeJsonInSteps(ordered, writtenLevels);
}
