import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { NotFoundError, RequestError, SnapshotError, ValidationError } from '../../base/errors.ts';
import { JsonError, parseStrictJson } from '../../base/strict-json.ts';
import { batchLimits } from '../../changes/batch-limits.ts';
import type { ServedContents } from '../../contents/served-contents.ts';
import { type RequestKey, readChangeRequest } from '../../live/change-request.ts';
import type { ContentChanges } from '../../live/content-changes.ts';
import { unavailable } from '../operations.ts';
import type { AdminRoute } from './admin-routes.ts';
import { mediaTypeOf, readText } from './read-body.ts';

const maxKeyLength = 255;

/**
 * Applies changes to the content of the query parameter `content`, by default the first one, and answers when every
 * thread serves them. `served` returns null while the first content is being loaded.
 */
export function changesRoute(served: () => ServedContents | null): AdminRoute {
  const handle: RequestHandler = async (request, response) => {
    try {
      const changes = changesOf(served(), request.url);
      const key = readKey(request);
      const text = await readBody(request);
      const digest = hash('sha256', text);
      response.json(await changes.change(readChangeRequest(parse(text)), key === null ? null : { key, digest }));
    } catch (error) {
      // the rest of the body is not read
      if (!request.complete) response.setHeader('Connection', 'close');
      throw asRequestError(error);
    }
  };
  return { method: 'post', path: '/_changes', right: 'changes', handle };
}

function changesOf(served: ServedContents | null, url: string): ContentChanges {
  if (!served) throw unavailable('The snapshot is being loaded');
  const { contents, live } = served;
  const name = new URL(url, 'http://localhost').searchParams.get('content');
  const entry = name === null ? contents.first : contents.get(name);
  if (!entry) throw new NotFoundError(`There is no content "${name}"`);
  const changes = live!.of(entry);
  if (!changes) throw unavailable(`The content "${entry.name}" could not be loaded`);
  return changes;
}

function readKey({ headers }: IncomingMessage): RequestKey['key'] | null {
  const key = headers['idempotency-key'] as string | undefined;
  if (key === undefined) return null;
  if (key.length >= 1 && key.length <= maxKeyLength) return key;
  throw new ValidationError(`The Idempotency-Key has ${key.length} characters: send 1 to ${maxKeyLength}`);
}

function readBody(request: IncomingMessage): Promise<string> {
  if (mediaTypeOf(request) !== 'application/json' || request.headers['content-encoding'] !== undefined) {
    const message = 'Send JSON (application/json), without Content-Encoding';
    throw new RequestError(415, 'UnsupportedMediaTypeError', message);
  }
  return readText(request, batchLimits.bytes);
}

function parse(text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ValidationError(`body: invalid JSON: ${error.message}`, { offset: error.offset });
  }
}

function asRequestError(error: unknown): unknown {
  if (!(error instanceof SnapshotError)) return error;
  const { message, problems, count } = error;
  return new RequestError(422, 'ValidationError', message, { problems, count });
}
