/** Errors of allocations that name the attribute whose arrays are too large. */
import { SnapshotError } from '../../core/errors.ts';
import type { Steps } from '../../core/steps.ts';

/** The name of an attribute in errors. */
export function placeOf(uid: string, attribute: string): string {
  return `${uid}, attribute ${attribute}`;
}

/** The messages of Node for an array that it cannot allocate. Other RangeErrors are mistakes of the program. */
const failedAllocation = /allocation failed|array (buffer )?length|resize: Invalid length|"size" is out of range/i;

/** Returns what `build` returns. Throws a SnapshotError that names `place` if it cannot allocate an array. */
export function allocateAt<Result>(place: string, build: () => Result): Result {
  try {
    return build();
  } catch (error) {
    throw atPlace(place, error);
  }
}

/** As `allocateAt`, for work in steps. */
export function* allocateAtInSteps<Result>(place: string, build: Steps<Result>): Steps<Result> {
  try {
    return yield* build;
  } catch (error) {
    throw atPlace(place, error);
  }
}

/** Returns the error to throw in place of another one. */
function atPlace(place: string, error: unknown): unknown {
  if (!(error instanceof RangeError && failedAllocation.test(error.message))) return error;
  return new SnapshotError([`${place}: ${error.message}; loading needs more memory than the process can get`]);
}
