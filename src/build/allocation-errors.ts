/** Names the attribute whose arrays are too large. */
import { SnapshotError } from '../base/errors.ts';

/** The name of an attribute in errors. */
export function placeOf(uid: string, attribute: string): string {
  return `${uid}, attribute ${attribute}`;
}

/** Returns what `build` returns. Throws a SnapshotError that names `place` if it cannot allocate an array. */
export function allocateAt<Result>(place: string, build: () => Result): Result {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SnapshotError([`${place}: ${error.message}`]);
  }
}
