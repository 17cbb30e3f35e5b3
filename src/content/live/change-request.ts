import { z } from 'zod';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { JournalError, JournalFull } from '../../changes/journal/errors.ts';
import { validate } from '../../core/describe-problem.ts';
import { RequestError, SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { Problems } from '../../core/problems.ts';
import type { ChangeForm } from '../versions/prepared-change.ts';

/** Changes that a request asks for, in one of two forms. */
export interface ChangeRequest {
  /** The version that the changes require, as in the header `X-Lectern-Version`; null for any. */
  readonly previous: string | null;
  readonly form: ChangeForm;
  /** The list of changes, or the batch, unchecked. */
  readonly given: unknown;
}

/** The answer to a request whose changes were applied. */
export interface ChangeAnswer {
  /**
   * The version with the changes, as in the header `X-Lectern-Version`. It is served now, unless another one is pinned.
   */
  readonly version: string;
  /** The number of the batch, the second part of the version. */
  readonly sequence: number;
  /** The version that is served, if it is pinned. */
  readonly pinned?: string;
  /** The references that made no link, if there are any. */
  readonly unlinked?: Unlinked;
}

const requestSchema = z.strictObject({
  previous: z
    .string()
    .regex(/^\d+-\d+$/, 'must be a version as in the header X-Lectern-Version, such as 1767225600000-3')
    .nullish(),
  changes: z.unknown().optional(),
  batch: z.unknown().optional(),
});

/** Reads the body of `POST /_changes`. Throws a SnapshotError that lists its problems. */
export function readChangeRequest(body: unknown): ChangeRequest {
  const problems = new Problems('strict', 'batch');
  const read = validate(requestSchema, body, '', problems);
  problems.throwIfAny();
  const { previous = null, changes, batch } = read!;
  if ((changes === undefined) === (batch === undefined)) problems.add('', 'give either "changes" or "batch"');
  problems.throwIfAny();
  return changes === undefined
    ? { previous, form: 'batch', given: batch }
    : { previous, form: 'changes', given: changes };
}

/** The key of a request that may be repeated, with the digest of its body. */
export interface RequestKey {
  readonly key: string;
  readonly digest: string;
}

/** A request with a key that was answered. */
export interface AnsweredRequest {
  readonly key: RequestKey;
  readonly answer: ChangeAnswer;
}

/** The answer in a file that Lectern has written. */
export const keptAnswer = z.custom<ChangeAnswer>(isPlainObject, 'must be an answer');

/** Answered requests in a file, the oldest first. */
export const keptRequests = z.array(
  z.object({ key: z.object({ key: z.string(), digest: z.string() }), answer: keptAnswer }),
);

/** Creates the error of a request for another version than the latest. */
export function staleVersion(previous: string, latest: string, isPinned: boolean): RequestError {
  const message = isPinned
    ? `"previous" is ${previous}, but the latest version is ${latest}`
    : `"previous" is ${previous}, but the version ${latest} is served`;
  return new RequestError(409, 'ConflictError', message, { previous, version: latest });
}

/** Returns a 422 for changes that are wrong. Returns any other error unchanged. */
export function asChangeError(error: unknown): unknown {
  if (!(error instanceof SnapshotError)) return error;
  const { message, problems, count } = error;
  return new RequestError(422, 'ValidationError', message, { problems, count });
}

/**
 * Returns the error of a request whose batch the journal has rejected: 507 if the disk is full, 413 for a batch that
 * does not fit into a record, otherwise 503, as for a batch that is published.
 */
export function unkeptChanges(error: unknown, isPublished = false): unknown {
  const isRejected = error instanceof RangeError || error instanceof JournalError;
  if (isPublished && isRejected) {
    const message = `The changes are published, but not served here: ${error.message}`;
    return new RequestError(503, 'ServiceUnavailableError', message);
  }
  if (error instanceof RangeError) return new RequestError(413, 'PayloadTooLargeError', error.message);
  if (!(error instanceof JournalError)) return error;
  if (error instanceof JournalFull) {
    return new RequestError(507, 'InsufficientStorageError', `The changes are not applied: ${error.message}`);
  }
  const outcome = error.mayBeKept ? 'are not served, but may appear after a restart' : 'are not applied';
  return new RequestError(503, 'ServiceUnavailableError', `The changes ${outcome}: ${error.message}`);
}

/** Maximum number of known keys by default. */
const defaultMaxKeys = 10_000;

interface KnownAnswer {
  readonly digest: string;
  readonly answer: ChangeAnswer;
}

/** The answers to requests with an `Idempotency-Key`. */
export class AnsweredKeys {
  readonly #known = new Map<string, KnownAnswer>();
  readonly #maxKeys: number;

  /** `answered` are requests with their answers, the oldest first. Beyond `maxKeys`, the oldest is forgotten. */
  constructor(answered: readonly AnsweredRequest[] = [], maxKeys: number = defaultMaxKeys) {
    this.#maxKeys = maxKeys;
    for (const { key, answer } of answered) this.add(key, answer);
  }

  /**
   * Returns the answer that was given for the key, or null for a new key. Throws a RequestError if the body differs.
   */
  answerTo({ key, digest }: RequestKey): ChangeAnswer | null {
    const known = this.#known.get(key);
    if (!known) return null;
    if (known.digest === digest) return known.answer;
    const message = `The Idempotency-Key ${JSON.stringify(key)} was sent with another body. Use a new key`;
    throw new RequestError(422, 'IdempotencyError', message);
  }

  /** All known requests, the oldest first. */
  get all(): AnsweredRequest[] {
    return Array.from(this.#known, ([key, { digest, answer }]) => ({ key: { key, digest }, answer }));
  }

  add({ key, digest }: RequestKey, answer: ChangeAnswer): void {
    this.#known.delete(key);
    this.#known.set(key, { digest, answer });
    if (this.#known.size <= this.#maxKeys) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

/** Maximum number of waiting requests. Further requests get a 503. */
const maxWaiting = 100;

/** Requests for changes of one content whose bodies are being read, or that wait for earlier requests. */
export class WaitingRequests {
  #waiting = 0;

  /** Reads a request and makes its changes. Settles as the task does. Rejects with a RequestError if too many wait. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting) {
      const message = `${maxWaiting} batches wait already: try again in a moment`;
      throw new RequestError(503, 'ServiceUnavailableError', message);
    }
    this.#waiting++;
    try {
      return await task();
    } finally {
      this.#waiting--;
    }
  }
}
