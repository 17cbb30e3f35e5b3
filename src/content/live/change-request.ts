import { z } from 'zod';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { RequestError } from '../../core/errors.ts';
import { Problems } from '../../core/problems.ts';
import { validate } from '../../load/validate.ts';

/** Changes that a request asks for, in one of two forms. */
export interface ChangeRequest {
  /** The version that the changes require, as in the header `X-Lectern-Version`; null for any. */
  readonly previous: string | null;
  readonly form: 'changes' | 'batch';
  /** The list of changes, or the batch, unchecked. */
  readonly given: unknown;
}

/** What a request gets whose changes are applied. */
export interface ChangeAnswer {
  /** The version with the changes, as in the header `X-Lectern-Version`. It is served now, unless another one is pinned. */
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

/** Reads the body of `POST /_changes`. Throws a SnapshotError with its problems. */
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

/** Creates the error of a request for another version than the latest. */
export function staleVersion(previous: string, latest: string, isPinned: boolean): RequestError {
  const message = isPinned
    ? `"previous" is ${previous}, but the latest version is ${latest}`
    : `"previous" is ${previous}, but the version ${latest} is served`;
  return new RequestError(409, 'ConflictError', message, { previous, version: latest });
}
