/** The format in which threads and the folder of contents hold the changes of a preview. */
import { z } from 'zod';
import { batchLimits } from '../../changes/batch/batch.ts';
import { RequestError } from '../../core/errors.ts';
import { readJsonInSteps } from '../../core/json-reader.ts';
import type { Steps } from '../../core/steps.ts';
import { writeJsonInSteps } from '../../core/write-json.ts';
import { type AnsweredRequest, keptRequests } from '../live/change-request.ts';

export interface PreviewChanges {
  /** The number of requests that added changes since the preview was put. */
  readonly revision: number;
  /** The lists of changes and the answered requests as JSON, in shared memory. */
  readonly bytes: Uint8Array;
}

const fileSchema = z.strictObject({
  format: z.literal(1),
  revision: z.int().min(0),
  /** Lists of changes as in `POST /_changes`, in the order in which they are applied. */
  lists: z.array(z.unknown()),
  /** Requests with an `Idempotency-Key`, the oldest first. Absent without any. */
  answered: keptRequests.optional(),
});

/** Maximum number of lists: applying each takes about a millisecond. */
const maxLists = 500;

/**
 * Writes lists of changes, and the requests with a key that were answered, into shared memory. Throws a RequestError if
 * they are too many or too large.
 */
export function* packChangesInSteps(
  lists: readonly unknown[],
  revision = 0,
  answered: readonly AnsweredRequest[] = [],
): Steps<PreviewChanges> {
  if (lists.length > maxLists) {
    throw tooMany(`${maxLists} requests whose changes are kept apart, such as deletions`, maxLists);
  }
  const file = { format: 1, revision, lists, ...(answered.length > 0 && { answered }) };
  // a step writes one change
  const pieces = yield* writeJsonInSteps(file, 3);
  const size = pieces.reduce((total, { length }) => total + length, 0);
  if (size > batchLimits.bytes) throw tooMany(`${batchLimits.bytes} bytes of changes`, batchLimits.bytes);
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
    yield;
  }
  return { revision, bytes };
}

function tooMany(what: string, limit: number): RequestError {
  const message = `A preview takes at most ${what}: put it again with all its changes in one list`;
  return new RequestError(413, 'PayloadTooLargeError', message, { limit });
}

/** Returns the lists of changes. */
export function* listsInSteps({ bytes }: Pick<PreviewChanges, 'bytes'>): Steps<readonly unknown[]> {
  return (yield* readFileInSteps(bytes)).lists;
}

/** Returns the requests with a key that were answered, the oldest first. */
export function* answeredInSteps({ bytes }: Pick<PreviewChanges, 'bytes'>): Steps<readonly AnsweredRequest[]> {
  return (yield* readFileInSteps(bytes)).answered ?? [];
}

/** Reads a file of changes. Throws an Error if it is damaged. */
export function* readPreviewChangesInSteps(file: Uint8Array): Steps<PreviewChanges> {
  const { lists, revision, answered } = yield* readFileInSteps(file);
  return yield* packChangesInSteps(lists, revision, answered);
}

function* readFileInSteps({ buffer, byteOffset, length }: Uint8Array): Steps<z.output<typeof fileSchema>> {
  const { value, error } = yield* readJsonInSteps(Buffer.from(buffer, byteOffset, length));
  if (error) throw error;
  return fileSchema.parse(value);
}
