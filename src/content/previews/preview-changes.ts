/** The format in which threads and the folder of contents hold the changes of a preview. */
import { z } from 'zod';
import { batchLimits } from '../../changes/batch/batch.ts';
import { RequestError } from '../../core/errors.ts';
import { readJsonInSteps } from '../../core/json-reader.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import type { Steps } from '../../core/steps.ts';
import { writeJsonInSteps } from '../../core/write-json.ts';
import { describeLaterFormat } from '../../core/written-format.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { type AnsweredRequest, keptRequests } from '../live/change-request.ts';
import { knownValues } from './known-values.ts';

export interface PreviewChanges {
  /** The number of requests that added changes since the preview was put. */
  readonly revision: number;
  /** The file of the preview as JSON, in shared memory. */
  readonly bytes: Uint8Array;
  /** As in the file. */
  readonly pending?: PendingApply;
}

const currentFormat = 1;

const requestKey = z.object({ key: z.string(), digest: z.string() });

/**
 * Changes that are being applied to the base. Written before the base has them, so that a start after a crash finds
 * out whether it has: then it knows the key.
 */
const pendingApply = z.strictObject({
  /** The key of the batch in the base. */
  key: requestKey,
  /** The version of the base with the changes. */
  version: z.string(),
  /** The positions of the changes in each list. */
  taken: z.array(z.array(z.int().min(0))),
  /** The numbers of changes that are applied, and of those that are left. */
  applied: z.int(),
  left: z.int(),
  /** The key of the request. */
  request: requestKey.nullable(),
});
export type PendingApply = z.output<typeof pendingApply>;

const fileSchema = z.strictObject({
  format: z.literal(currentFormat),
  revision: z.int().min(0),
  /** Lists of changes as in `POST /_changes`, in the order in which they are applied. */
  lists: z.array(z.unknown()),
  /** Requests with an `Idempotency-Key`, the oldest first. Earlier versions of Lectern wrote none. */
  answered: keptRequests.optional(),
  /** What the base showed where changes change it. Earlier versions of Lectern wrote none. */
  known: knownValues.optional(),
  pending: pendingApply.optional(),
});

/** What is kept of a preview. */
export type PreviewFile = Omit<z.input<typeof fileSchema>, 'format'>;

/** Maximum number of lists: applying each takes about a millisecond. */
const maxLists = 500;

/**
 * Writes lists of changes, and the requests with a key that were answered, into shared memory. Throws a RequestError if
 * they are too many or too large.
 */
export function packChangesInSteps(
  lists: readonly unknown[],
  revision = 0,
  answered?: readonly AnsweredRequest[],
): Steps<PreviewChanges> {
  return packFileInSteps({ lists: [...lists], revision, answered: answered && [...answered] });
}

/** As `packChangesInSteps`, with all that is kept of a preview. */
export function* packFileInSteps(file: PreviewFile): Steps<PreviewChanges> {
  const { lists, revision, pending } = file;
  if (lists.length > maxLists) {
    throw tooMany(`${maxLists} requests whose changes are kept apart, such as deletions`, maxLists);
  }
  // a step writes one change
  const answered = file.answered?.length ? file.answered : undefined;
  const pieces = yield* writeJsonInSteps({ format: currentFormat, ...file, answered }, 3);
  const size = pieces.reduce((total, { length }) => total + length, 0);
  if (size > batchLimits.bytes) throw tooMany(`${batchLimits.bytes} bytes of changes`, batchLimits.bytes);
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
    yield;
  }
  return { revision, bytes, ...(pending && { pending }) };
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
  return yield* packFileInSteps(yield* readFileInSteps(file));
}

/** Returns what is kept of a preview. */
export function* fileOfInSteps({ bytes }: Pick<PreviewChanges, 'bytes'>): Steps<PreviewFile> {
  return yield* readFileInSteps(bytes);
}

/** Returns the lists of changes that a preview adds to a version of its base: all but those that the base has. */
export function* listsOverInSteps(changes: PreviewChanges, version: ContentVersion): Steps<readonly unknown[]> {
  const lists = yield* listsInSteps(changes);
  const { pending } = changes;
  return pending && isIncludedIn(pending.version, version) ? listsWithout(lists, pending.taken) : lists;
}

/** Whether a version of a base, as text, has led to another one or is the same. */
function isIncludedIn(version: string, { epoch, sequence }: ContentVersion): boolean {
  const [ofEpoch, from] = version.split('-').map(Number);
  return ofEpoch === epoch && from <= sequence;
}

/** Returns the lists without changes, given by their positions in each list. No list is empty. */
export function listsWithout(lists: readonly unknown[], taken: PendingApply['taken']): unknown[] {
  const left = lists.map((list, i) => {
    const positions = new Set(taken[i]);
    return positions.size > 0 && Array.isArray(list) ? list.filter((_, at) => !positions.has(at)) : list;
  });
  return left.filter((list) => !Array.isArray(list) || list.length > 0);
}

function* readFileInSteps({ buffer, byteOffset, length }: Uint8Array): Steps<PreviewFile> {
  const { value, error } = yield* readJsonInSteps(Buffer.from(buffer, byteOffset, length));
  if (error) throw error;
  const later = describeLaterFormat(isPlainObject(value) && value.format, currentFormat);
  if (later) throw new Error(`the file ${later}`);
  const { format: _, ...file } = fileSchema.parse(value);
  return file;
}
