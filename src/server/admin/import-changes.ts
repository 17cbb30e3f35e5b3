/** Large imports: a body with one change a line, which is read no faster than its batches are applied. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { batchLimits } from '../../changes/batch/batch.ts';
import { maxListedReferences, type Unlinked } from '../../changes/batch/unlinked.ts';
import { asChangeError, type ChangeAnswer, type RequestKey } from '../../content/live/change-request.ts';
import type { ChangeWriter } from '../../content/live/change-writer.ts';
import { RequestError, SnapshotError, ValidationError } from '../../core/errors.ts';
import { runInTurns, type Steps } from '../../core/steps.ts';
import { limits } from '../../load/limits.ts';
import { type RawLine, rawLines } from '../../load/parse/elements.ts';
import { BrokenFile } from '../../load/parse/json-file.ts';
import { mediaTypeOf, parseInSteps, piecesOf, refuseEncoding } from './read-request.ts';

const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

export const importLimits = {
  /** Bytes of a body. */
  bytes: 2 ** 30,
  /** Bytes of a line, and its values. */
  lineBytes: batchLimits.bytes / 2,
  lineValues: limits.elementValues,
  /** A batch ends with the line that reaches one of these. With the largest line, it is within `batchLimits`. */
  batchBytes: batchLimits.bytes / 2,
  batchValues: batchLimits.values - limits.elementValues,
} as const;

/** A batch of an import that was applied, now or by an earlier request with the same key. */
export interface ImportedBatch extends Omit<ChangeAnswer, 'unlinked'>, BatchPlace {
  /** The number of its references that made no link. */
  readonly unlinked: number;
}

/** Numbers are counted from 1. */
interface BatchPlace {
  readonly number: number;
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The answer to an import that was applied as a whole. */
export interface ImportAnswer {
  readonly batches: readonly ImportedBatch[];
  /** The references of all batches that made no link, if there are any. */
  readonly unlinked?: Unlinked;
}

interface ImportOptions {
  /** The `Idempotency-Key` of the request, from which that of each batch follows. */
  readonly key: string | null;
  /** Maximum number of changes in a batch. */
  readonly lines: number;
}

/** Whether the body of a request has one change a line. */
export function isImport(request: IncomingMessage): boolean {
  return lineTypes.includes(mediaTypeOf(request) ?? '');
}

/** Returns how many bytes of an import are held at the same time, before they are read. */
export function heldBytesOf({ headers }: IncomingMessage): number {
  return Math.min(Number(headers['content-length'] ?? batchLimits.bytes), batchLimits.bytes);
}

/**
 * Reads an import and applies its batches. Rejects with a RequestError that names the batch that failed and lists those
 * that were applied. The rest of the body is not read then.
 */
export async function importChanges(
  request: IncomingMessage,
  changes: Pick<ChangeWriter, 'change'>,
  { key, lines: maxChanges }: ImportOptions,
): Promise<ImportAnswer> {
  refuseEncoding(request);
  const { socket } = request;
  const applied: ImportedBatch[] = [];
  const references: Unlinked['references'][number][] = [];
  let batch = new ImportBatch(1);
  const apply = async () => {
    const { unlinked, ...answer } = await batch.apply(changes, key);
    references.push(...(unlinked?.references ?? []).slice(0, maxListedReferences - references.length));
    applied.push({ ...batch.place!, ...answer, unlinked: unlinked?.count ?? 0 });
    batch = new ImportBatch(applied.length + 1);
  };
  try {
    for await (const lines of rawLines(piecesOf(request, importLimits.bytes), importLimits.lineBytes)) {
      for (let next = 0; next < lines.length; ) {
        next = await runInTurns(batch.takeInSteps(lines, next, maxChanges));
        if (!batch.isFull(maxChanges)) continue;
        // the client cannot send while nothing is read
        const { timeout = 0 } = socket;
        socket.setTimeout(0);
        await apply();
        socket.setTimeout(timeout);
      }
    }
    if (batch.place) await apply();
  } catch (error) {
    throw batch.failed(error, applied, key);
  }
  const count = applied.reduce((total, { unlinked }) => total + unlinked, 0);
  return {
    batches: applied,
    ...(count > 0 && { unlinked: { count, references } }),
  };
}

/** The changes that are applied together, with the line of each. */
class ImportBatch {
  readonly #number: number;
  readonly #changes: unknown[] = [];
  readonly #lines: number[] = [];
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #values = 0;

  constructor(number: number) {
    this.#number = number;
  }

  /** Null before the first line. */
  get place(): BatchPlace | null {
    const [firstLine] = this.#lines;
    return firstLine === undefined ? null : { number: this.#number, firstLine, lastLine: this.#lines.at(-1)! };
  }

  isFull(maxChanges: number): boolean {
    const { batchBytes, batchValues } = importLimits;
    return this.#changes.length >= maxChanges || this.#bytes >= batchBytes || this.#values >= batchValues;
  }

  /** Takes lines until the batch is full, and returns the index of the next one. Throws a RequestError for a wrong line. */
  *takeInSteps(lines: readonly RawLine[], first: number, maxChanges: number): Steps<number> {
    let next = first;
    while (next < lines.length && !this.isFull(maxChanges)) {
      yield* this.#addInSteps(lines[next++]);
      yield;
    }
    return next;
  }

  *#addInSteps({ line, bytes }: RawLine): Steps<void> {
    this.#lines.push(line);
    const { value, values } = yield* parseInSteps(bytes, 'body', { line, values: importLimits.lineValues });
    this.#changes.push(value);
    this.#hash.update(bytes).update('\n');
    this.#bytes += bytes.length;
    this.#values += values;
  }

  /** Applies the changes. The answer names lines. */
  async apply(changes: Pick<ChangeWriter, 'change'>, key: string | null): Promise<ChangeAnswer> {
    const request = { previous: null, form: 'changes', given: this.#changes } as const;
    // no key of a request has a line feed
    const batchKey: RequestKey | null =
      key === null ? null : { key: `${key}\n${this.#number}`, digest: this.#hash.digest('hex') };
    const answer = await changes.change(request, batchKey);
    if (!answer.unlinked) return answer;
    const { count, references } = answer.unlinked;
    const located = references.map((one) => ({ ...one, location: this.#withLine(one.location) }));
    return { ...answer, unlinked: { count, references: located } };
  }

  /** Returns the error of an import that ends with this batch. */
  failed(thrown: unknown, batches: readonly ImportedBatch[], key: string | null): unknown {
    const error = this.#withLines(thrown);
    if (!(error instanceof RequestError)) return error;
    const { status, name, details } = error;
    const { place } = this;
    const at = place
      ? `Batch ${place.number} (lines ${place.firstLine} to ${place.lastLine})`
      : `Batch ${this.#number}`;
    const message = name === 'IdempotencyError' ? describeOtherLines(key) : error.message;
    return new RequestError(status, name, `${at}: ${message}`, { ...details, batch: place, batches });
  }

  /** Returns an error whose messages name lines in place of changes. */
  #withLines(error: unknown): unknown {
    if (error instanceof BrokenFile) return new ValidationError(`body: ${error.message}`);
    if (error instanceof SnapshotError) {
      const problems = error.problems.map((problem) => this.#withLine(problem));
      return asChangeError(new SnapshotError(problems, error.count, 'batch'));
    }
    if (!(error instanceof RequestError)) return error;
    const { status, name, message } = error;
    const { change, ...details } = error.details as { readonly change?: number };
    const line = change === undefined ? {} : { line: this.#lines[change] };
    return new RequestError(status, name, this.#withLine(message), { ...details, ...line });
  }

  /** Names the line of a change with which a text, or what follows a colon, begins. */
  #withLine(text: string): string {
    return text.replace(
      /(^|: )changes\[(\d+)\](\.?)/,
      (_, before, index, dot) => `${before}line ${this.#lines[index]}${dot && ', '}`,
    );
  }
}

function describeOtherLines(key: string | null): string {
  return `The Idempotency-Key ${JSON.stringify(key)} was sent with other lines in this batch. Use a new key`;
}
