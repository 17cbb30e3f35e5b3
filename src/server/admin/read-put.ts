import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { RequestError, ValidationError } from '../../base/errors.ts';
import { readStrictJson } from '../../base/strict-json.ts';
import { ConfigError } from '../../config/config.ts';
import { validate } from '../../config/read-config.ts';
import { type PutOptions, putBody, putOptions } from '../../contents/put-content.ts';
import type { PutSource } from '../../contents/stored-contents.ts';
import { mediaTypeOf, readText } from './read-body.ts';

/** Maximum size of a JSON body, in bytes. It holds a path, hosts and digests of tokens. */
const maxJsonBytes = 2 ** 20;

const snapshotTypes = ['application/octet-stream', 'application/gzip', 'application/x-tar'];

/**
 * Reads what is put from the JSON body of a request, or from its query string if the body is a snapshot, which is left
 * to be read. Throws a RequestError.
 */
export async function readPut(request: IncomingMessage): Promise<{ options: PutOptions; source: PutSource }> {
  const type = mediaTypeOf(request);
  if (type === 'application/json') {
    const { snapshot, ...options } = check(putBody, parseJson(await readText(request, maxJsonBytes), 'body'), 'body');
    return { options, source: { path: snapshot } };
  }
  if (type === undefined || !snapshotTypes.includes(type) || request.headers['content-encoding'] !== undefined) {
    const message = `Send JSON (application/json) or a snapshot (${snapshotTypes.join(', ')}), without Content-Encoding`;
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  return { options: check(putOptions, readQuery(request.url ?? ''), 'query'), source: { body: request } };
}

/** Returns the parameters of `?hosts=a.example,b.example&lifetime=3600&tokens=JSON`. Throws a ValidationError. */
function readQuery(url: string): Record<string, unknown> {
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
  const values: Record<string, unknown> = {};
  for (const [name, text] of parameters) {
    if (name in values) throw new ValidationError(`query: ${name} is given twice`);
    values[name] = readParameter(name, text);
  }
  return values;
}

function readParameter(name: string, text: string): unknown {
  if (name === 'hosts') return text.split(',');
  if (name === 'tokens') return parseJson(text, 'query: tokens');
  return name === 'lifetime' && /^\d+$/.test(text) ? Number(text) : text;
}

function parseJson(text: string, place: string): unknown {
  const mayHoldSecrets = true;
  const { value, faults } = readStrictJson(text, mayHoldSecrets);
  if (faults.length === 0) return value;
  throw new ValidationError(
    `${place}: ${faults.map(({ message, line, column }) => `${line}:${column}: ${message}`).join(', ')}`,
  );
}

/** Throws a ValidationError with a line for each problem. */
function check<T extends z.ZodType>(schema: T, value: unknown, place: string): z.output<T> {
  try {
    return validate(schema, value, () => place);
  } catch (error) {
    throw error instanceof ConfigError ? new ValidationError(error.message) : error;
  }
}
