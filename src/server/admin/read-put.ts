import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { batchLimits } from '../../changes/batch/batch-limits.ts';
import { type PutOptions, putBody, putOptions, putPreviewBody } from '../../content/registry/put-content.ts';
import type { PutSource } from '../../content/registry/put-source.ts';
import { RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { digestOf } from '../../model/access/token-digest.ts';
import { ConfigError } from '../../model/settings/config.ts';
import { validate } from '../../model/settings/read-config.ts';
import { mediaTypeOf, parseJson, readJson } from './read-body.ts';

const snapshotTypes = ['application/octet-stream', 'application/gzip', 'application/x-tar'];

/**
 * Reads what is put from the JSON body of a request, or from its query string if the body is a snapshot, which is left
 * to be read. Throws a RequestError.
 */
export async function readPut(request: IncomingMessage): Promise<{ options: PutOptions; source: PutSource }> {
  const type = mediaTypeOf(request);
  const isJson = type === 'application/json';
  if (request.headers['content-encoding'] !== undefined || !(isJson || snapshotTypes.includes(type ?? ''))) {
    const message = `Send JSON (application/json) or a snapshot (${snapshotTypes.join(', ')}), without Content-Encoding`;
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  if (isJson) return optionsOf(await readJson(request, { maxBytes: batchLimits.bytes, large: ['changes'] }));
  return { options: check(putOptions, readQuery(request.url ?? ''), 'query'), source: { kind: 'body', body: request } };
}

/** Reads a preview if the body has a `base`, otherwise the path of a snapshot. */
function optionsOf(body: unknown): { options: PutOptions; source: PutSource } {
  if (!isPlainObject(body) || !('base' in body)) {
    const { snapshot: path, ...options } = check(putBody, body, 'body');
    return { options, source: { kind: 'path', path } };
  }
  const { base, changes, drafts, token, ...options } = check(putPreviewBody, body, 'body');
  const preview = { base, drafts, sha256: token === undefined ? null : digestOf(token) };
  return { options, source: { kind: 'preview', preview, changes } };
}

/** Returns the parameters of `?lifetime=3600&tokens=JSON`. Throws a ValidationError. */
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
  if (name === 'tokens') return parseJson(text, 'query: tokens');
  return name === 'lifetime' && /^\d+$/.test(text) ? Number(text) : text;
}

/** Throws a ValidationError with a line for each problem. */
function check<T extends z.ZodType>(schema: T, value: unknown, place: string): z.output<T> {
  if (isPlainObject(value) && 'hosts' in value) {
    const remedy = 'leave it out, and set contents.domain to choose contents by NAME.DOMAIN';
    throw new ValidationError(`${place}: hosts: a content that is put cannot choose its hosts: ${remedy}`);
  }
  try {
    return validate(schema, value, () => place);
  } catch (error) {
    throw error instanceof ConfigError ? new ValidationError(error.message) : error;
  }
}
