import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { batchLimits } from '../../changes/batch/batch.ts';
import { RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { runAtOnce, runInTurns, type Steps } from '../../core/steps.ts';
import { readStrictJsonInSteps } from '../../core/strict-json.ts';
import { findLimitViolationInValue, limits } from '../../load/limits.ts';

/** Returns the type of the body in lower case, without parameters. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
}

export interface BodyOptions {
  readonly maxBytes: number;
  /** Members that may hold as many values as the body. All others may hold few. Default: every member. */
  readonly large?: readonly string[];
  /** Called with each piece of the body. */
  readonly onPiece?: (piece: Buffer) => void;
}

/** As `readJsonBody`, for a request whose body has to be JSON. */
export function readJsonOnly(request: IncomingMessage, options: BodyOptions): Promise<unknown> {
  if (mediaTypeOf(request) !== 'application/json' || request.headers['content-encoding'] !== undefined) {
    const message = 'Send JSON (application/json), without Content-Encoding';
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  return readJsonBody(request, options);
}

/**
 * Reads a body of JSON, with turns of the event loop in between. Rejects with a RequestError if it is no JSON, has
 * duplicate keys, exceeds the limits of a batch, or takes more than `maxBytes`; the rest of it is not read then.
 */
export async function readJsonBody(request: IncomingMessage, options: BodyOptions): Promise<unknown> {
  const body = await runInTurns(parseInSteps(await readBytes(request, options), 'body'));
  if (options.large) checkOthers(body, options.large);
  return body;
}

/** Throws a ValidationError for a body that schemas would take long to check. */
function checkOthers(body: unknown, large: readonly string[]): void {
  const others = isPlainObject(body) ? { ...body, ...Object.fromEntries(large.map((name) => [name, null])) } : body;
  const violation = findLimitViolationInValue(others, 0, batchLimits.otherValues);
  if (!violation) return;
  throw new ValidationError(`body: ${violation} besides ${large.map((name) => JSON.stringify(name)).join(' and ')}`);
}

/** Parses JSON, and refuses it as `readJsonBody` does. `place` is for messages. */
export function parseJson(text: string, place: string): unknown {
  return runAtOnce(parseInSteps(Buffer.from(text), place));
}

async function readBytes(request: IncomingMessage, { maxBytes, onPiece }: BodyOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
    onPiece?.(piece);
  }
  return Buffer.concat(pieces);
}

/** Messages quote nothing of the text but duplicate keys, because it may hold secrets. */
function* parseInSteps(bytes: Buffer, place: string): Steps<unknown> {
  if (!isUtf8(bytes)) throw new ValidationError(`${place}: is not UTF-8`);
  yield;
  const { values, keys, textBytes, numberBytes } = batchLimits;
  const options = { mayHoldSecrets: true, limits: { depth: limits.depth, values, keys, textBytes, numberBytes } };
  const { value, faults } = yield* readStrictJsonInSteps(bytes, options);
  if (faults.length === 0) return value;
  const [{ line, column }] = faults;
  const messages = faults.map((fault) => `${fault.line}:${fault.column}: ${fault.message}`);
  throw new ValidationError(`${place}: ${messages.join(', ')}`, { line, column });
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, 'PayloadTooLargeError', `The JSON takes more than ${maxBytes} bytes`);
}
