import { z } from 'zod';
import type { Batch } from '../../changes/batch/batch.ts';
import { JournalError } from '../../changes/journal/errors.ts';
import type { FileLayer } from '../../changes/journal/file-layer.ts';
import type { JournalBase, Transaction } from '../../changes/journal/format.ts';
import { imageName } from '../../changes/journal/images.ts';
import { Journal, type OpenedJournal } from '../../changes/journal/journal.ts';
import type { LoggedChange, StateDigests } from '../../changes/log/logged-change.ts';
import { earlierStateDigest, stateDigest } from '../../changes/log/state-digest.ts';
import { describeProblem } from '../../core/describe-problem.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { type ContentVersion, firstVersion, isLater, versionText } from '../../store/content-version.ts';
import {
  type AnsweredRequest,
  type ChangeAnswer,
  keptAnswer,
  keptRequests,
  type RequestKey,
} from './change-request.ts';

/** What a content writes to its journal: batches, and the answers to requests that may be repeated. */

/** What the journal keeps of a request with an `Idempotency-Key`. */
const keptWithRecord = z.object({ digest: z.string(), answer: keptAnswer });
type KeptWithRecord = z.infer<typeof keptWithRecord>;

/** What the journal keeps with its base: the requests with a key that were answered before, the oldest first. */
const keptWithBase = z.object({ answered: keptRequests });
type KeptWithBase = z.infer<typeof keptWithBase>;

/** A batch of a journal, which is validated when it is applied. */
export interface KeptChange {
  readonly batch: Batch;
  /** Of the content that it leads to. Undefined in journals of earlier versions. */
  readonly digest: string | undefined;
}

export function keptChange({ changes, digests }: Transaction): KeptChange {
  return { batch: changes as Batch, digest: digests?.after };
}

export interface OpenedContentJournal {
  readonly journal: Journal;
  /** The changes since its base, in order. */
  readonly changes: readonly KeptChange[];
  /** The requests with a key that were answered, the oldest first. */
  readonly answered: readonly AnsweredRequest[];
  readonly cut: OpenedJournal['cut'];
}

/** Opens the journal at `path`, or creates it for this snapshot. Rejects as `Journal.open` does. */
export async function openContentJournal(
  path: string,
  given: LoadedSnapshot,
  files?: FileLayer,
): Promise<OpenedContentJournal> {
  const earlier = earlierStateDigest(given);
  const base = { ...(given.version ?? firstVersion()), version: stateDigest(given), earlier };
  const { journal, transactions, cut } = await Journal.open(path, { base, files });
  try {
    const changes = transactions.map(keptChange);
    const answered = [...answeredBefore(path, journal.kept), ...transactions.flatMap((one) => answeredIn(path, one))];
    return { journal, changes, answered, cut };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * The list of changes of which a batch was made, the time of those that have none, and the ids of the components that the
 * batch made, by type.
 */
const requestedChanges = z.object({
  changes: z.array(z.unknown()),
  at: z.string(),
  made: z.record(z.string(), z.array(z.number())),
});
export type RequestedChanges = z.infer<typeof requestedChanges>;

/** Returns the changes of which a batch was made. Null for a batch that was given as such, or by an earlier version. */
export function requestedIn(path: string, { sequence, requested }: Transaction): RequestedChanges | null {
  return requested === undefined
    ? null
    : read(path, `the request of transaction ${sequence}`, requested, requestedChanges);
}

/** A transaction with its digests. */
export type LoggedTransaction = Transaction & LoggedChange;

/** Returns the transaction of a batch that leads to a version. */
export function transactionOf(
  { epoch, sequence }: ContentVersion,
  digests: StateDigests,
  previous: string | null,
  batch: Batch,
  key: RequestKey | null,
  answer: ChangeAnswer,
  requested?: RequestedChanges,
): LoggedTransaction {
  const kept = key && { idempotencyKey: key.key, answer: { digest: key.digest, answer } satisfies KeptWithRecord };
  return { epoch, sequence, digests, previous, changes: batch, ...kept, requested };
}

/** Begins a journal anew, in another epoch, with a snapshot. `added` take the place of the changes before. */
export function restartJournal(
  journal: Journal,
  loaded: LoadedSnapshot,
  epoch: number,
  answered: readonly AnsweredRequest[],
  added: readonly Transaction[] = [],
): Promise<void> {
  const base = { epoch, version: stateDigest(loaded), sequence: 0, image: null };
  return journal.rotate(base, journal.sequence, { answered: [...answered] } satisfies KeptWithBase, added);
}

/**
 * Begins a journal anew after the image of a content of the same epoch, which is on disk. Changes that came later stay.
 * `answered` are the requests with a key that were answered. The base keeps those that the content includes: the others
 * are in the records of their changes, and go with them if a record is damaged. Rejects as `Journal.rotate` does.
 */
export function rotateJournal(
  journal: Journal,
  loaded: LoadedSnapshot,
  version: ContentVersion,
  answered: readonly AnsweredRequest[],
): Promise<void> {
  const base = imageBase(journal, loaded, version);
  const included = answered.filter(({ answer }) => !isLater(answer.version, versionText(version)));
  return journal.rotate(base, version.sequence, { answered: included } satisfies KeptWithBase);
}

/**
 * Begins a journal that has no changes anew after the image of a content of another epoch, which is on disk. Rejects as
 * `Journal.rotate` does.
 */
export function adoptInJournal(
  journal: Journal,
  loaded: LoadedSnapshot,
  version: ContentVersion,
  answered: readonly AnsweredRequest[],
): Promise<void> {
  const base = imageBase(journal, loaded, version);
  return journal.rotate(base, journal.sequence, { answered: [...answered] } satisfies KeptWithBase);
}

/** Returns the base whose image has this version. */
function imageBase({ path }: Journal, loaded: LoadedSnapshot, version: ContentVersion): JournalBase {
  return { ...version, version: stateDigest(loaded), image: imageName(path, version) };
}

function answeredBefore(path: string, kept: unknown): readonly AnsweredRequest[] {
  return kept === undefined ? [] : read(path, 'what it keeps with its base', kept, keptWithBase).answered;
}

/** Returns the request with a key that a transaction answers, if there is one. */
export function answeredIn(
  path: string,
  { sequence, idempotencyKey: key, answer: kept }: Transaction,
): AnsweredRequest[] {
  if (key === undefined) return [];
  const { digest, answer } = read(path, `the answer of transaction ${sequence}`, kept, keptWithRecord);
  return [{ key: { key, digest }, answer }];
}

function read<Result>(path: string, name: string, value: unknown, schema: z.ZodType<Result>): Result {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problem = describeProblem(error.issues[0], value, schema);
  throw new JournalError(`the journal ${path} is damaged: ${name}: ${problem}`);
}
