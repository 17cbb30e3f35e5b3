import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { batchLimits } from '../../changes/batch/batch.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError, RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { runAtOnce, runInTurns, type Steps } from '../../core/steps.ts';
import { readStrictJsonInSteps } from '../../core/strict-json.ts';
import { loading, unavailable } from '../../http/error-replies.ts';
import { readQueryParameter } from '../../http/query-parameter.ts';
import { findLimitViolationInValue, limits } from '../../load/limits.ts';

/**
 * Returns the entry that the query parameter `content` names, by default the first one. `served` is null while the first
 * content is being loaded. Throws a RequestError.
 */
export function namedContent(served: ServedContents | null, url: string): ServedContents & { entry: ContentEntry } {
  return contentOfName(served, served && readQueryParameter(url, 'content'));
}

/** As `namedContent`, for a name that has been read; null for the first content. */
export function contentOfName(
  served: ServedContents | null,
  name: string | null,
): ServedContents & { entry: ContentEntry } {
  if (!served) throw unavailable(loading);
  const { contents } = served;
  const entry = name === null ? contents.first : contents.get(name);
  if (!entry) throw new NotFoundError(`There is no content "${name}"`);
  return { ...served, entry };
}

/** Returns the type of the body in lower case, without parameters. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
}

interface BodyOptions {
  readonly maxBytes: number;
  /** Members that may hold as many values as the body. All others may hold few. Default: every member. */
  readonly large?: readonly string[];
  /** Called with each piece of the body. */
  readonly onPiece?: (piece: Buffer) => void;
  /** Called with bytes of the body before they are read: once if its size is known, otherwise for each piece. May throw. */
  readonly hold?: (bytes: number) => void;
}

/** Bounds the bytes of bodies that are read, or wait, at the same time. */
export class HeldBodies {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Runs a task that reads a body with `hold`, and settles as the task does. The body counts until then. `hold` throws a
   * RequestError if the bodies would take too much together.
   */
  async run<T>(task: (hold: (bytes: number) => void) => Promise<T>): Promise<T> {
    let held = 0;
    try {
      return await task((bytes) => {
        if (this.#bytes + bytes > this.#maxBytes) throw unavailable(tooManyBytes(this.#maxBytes));
        held += bytes;
        this.#bytes += bytes;
      });
    } finally {
      this.#bytes -= held;
    }
  }
}

function tooManyBytes(maxBytes: number): string {
  return `The requests that are read or wait may take ${maxBytes} bytes together: try again in a moment`;
}

/** As `readJsonBody`, for a request whose body has to be JSON. */
export function readJsonOnly(request: IncomingMessage, options: BodyOptions): Promise<unknown> {
  refuseOthers(request);
  return readJsonBody(request, options);
}

/** Reads the bytes of a body that has to be JSON, and does not parse them. Rejects as `readJsonOnly` does. */
export async function readBytesOnly(request: IncomingMessage, options: BodyOptions): Promise<Buffer> {
  refuseOthers(request);
  return readBytes(request, options);
}

/** Throws a RequestError for a body that is not declared as JSON. */
function refuseOthers(request: IncomingMessage): void {
  if (mediaTypeOf(request) !== 'application/json') throw unsupportedBody();
  refuseEncoding(request);
}

/** Throws a RequestError if the body has a Content-Encoding. */
export function refuseEncoding({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] !== undefined) throw unsupportedBody();
}

function unsupportedBody(): RequestError {
  const message = 'Send JSON (application/json), without Content-Encoding';
  return new RequestError(415, 'UnsupportedMediaTypeError', message);
}

/**
 * Reads a body of JSON, with turns of the event loop in between. Rejects with a RequestError if it is not JSON, has
 * duplicate keys, exceeds the limits of a batch, or takes more than `maxBytes`; the rest of it is not read then.
 */
export async function readJsonBody(request: IncomingMessage, options: BodyOptions): Promise<unknown> {
  const body = await parseJsonInTurns(await readBytes(request, options), 'body');
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
  return runAtOnce(parseInSteps(Buffer.from(text), place)).value;
}

/** As `parseJson`, with turns of the event loop in between. */
export async function parseJsonInTurns(bytes: Buffer, place: string): Promise<unknown> {
  return (await runInTurns(parseInSteps(bytes, place))).value;
}

async function readBytes(request: IncomingMessage, { maxBytes, onPiece, hold }: BodyOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const length = request.headers['content-length'];
  refuseLength(request, maxBytes);
  if (length !== undefined) hold?.(Number(length));
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    if (length === undefined) hold?.(piece.length);
    pieces.push(piece);
    onPiece?.(piece);
  }
  return Buffer.concat(pieces);
}

/** Yields the pieces of a body. Throws a RequestError if it takes more than `maxBytes`; the rest is not read then. */
export async function* piecesOf(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  refuseLength(request, maxBytes);
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

function refuseLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
}

interface ParseOptions {
  /** The line of the body with which the bytes begin. Default: 1. */
  readonly line?: number;
  /** Maximum number of values. Default: that of a batch. */
  readonly values?: number;
}

/**
 * Parses JSON, and counts its values. Throws a ValidationError as `readJsonBody` does. Messages quote only duplicate keys
 * of the text, because it may hold secrets.
 */
export function* parseInSteps(
  bytes: Buffer,
  place: string,
  { line: firstLine = 1, values: maxValues = batchLimits.values }: ParseOptions = {},
): Steps<{ value: unknown; values: number }> {
  if (!isUtf8(bytes)) throw new ValidationError(`${place}: ${firstLine > 1 ? `line ${firstLine} ` : ''}is not UTF-8`);
  yield;
  const { keys, textBytes, numberBytes } = batchLimits;
  const options = {
    mayHoldSecrets: true,
    limits: { depth: limits.depth, values: maxValues, keys, textBytes, numberBytes },
  };
  const { value, values, faults } = yield* readStrictJsonInSteps(bytes, options);
  if (faults.length === 0) return { value, values };
  const located = faults.map((fault) => ({ ...fault, line: fault.line + firstLine - 1 }));
  const messages = located.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  const [{ line, column }] = located;
  throw new ValidationError(`${place}: ${messages.join(', ')}`, { line, column });
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, 'PayloadTooLargeError', `The JSON takes more than ${maxBytes} bytes`);
}
