import type { IncomingMessage } from 'node:http';
import { RequestError, ValidationError } from '../../base/errors.ts';
import { JsonError, parseStrictJson, readStrictJson } from '../../base/strict-json.ts';

/** Returns the type of the body in lower case, without parameters. */
export function mediaTypeOf({ headers }: IncomingMessage): string | undefined {
  return headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
}

/** Reads a body of JSON. Throws a RequestError if it takes more than `maxBytes`, and then does not read the rest. */
export async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** As `readText`, for a request that has to be JSON. */
export function readJsonText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (mediaTypeOf(request) !== 'application/json' || request.headers['content-encoding'] !== undefined) {
    const message = 'Send JSON (application/json), without Content-Encoding';
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  return readText(request, maxBytes);
}

/** Throws a ValidationError. */
export function parseJson(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ValidationError(`body: invalid JSON: ${error.message}`, { offset: error.offset });
  }
}

/** As `parseJson`, which also refuses duplicate keys, and quotes nothing of the text but these. `place` is for messages. */
export function parseUniqueJson(text: string, place: string): unknown {
  const mayHoldSecrets = true;
  const { value, faults } = readStrictJson(text, mayHoldSecrets);
  if (faults.length === 0) return value;
  throw new ValidationError(
    `${place}: ${faults.map(({ message, line, column }) => `${line}:${column}: ${message}`).join(', ')}`,
  );
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError(413, 'PayloadTooLargeError', `The JSON takes more than ${maxBytes} bytes`);
}
