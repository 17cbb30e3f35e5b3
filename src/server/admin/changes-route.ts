import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { batchLimits } from '../../changes/batch/batch.ts';
import { type RequestKey, readChangeRequest } from '../../content/live/change-request.ts';
import type { ChangeWriter } from '../../content/live/change-writer.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { RequestError, SnapshotError, ValidationError } from '../../core/errors.ts';
import { unavailable } from '../../http/error-replies.ts';
import type { AdminRoute } from './admin-routes.ts';
import { namedContent } from './named-content.ts';
import { readJsonOnly } from './read-body.ts';

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
      const hash = key === null ? null : createHash('sha256');
      const body = await readJsonOnly(request, {
        maxBytes: batchLimits.bytes,
        large: ['changes', 'batch'],
        onPiece: (piece) => hash?.update(piece),
      });
      const requestKey = hash && { key: key!, digest: hash.digest('hex') };
      response.json(await changes.change(readChangeRequest(body), requestKey));
    } catch (error) {
      throw asRequestError(error);
    }
  };
  return { method: 'post', path: '/_changes', right: 'changes', handle };
}

function changesOf(served: ServedContents | null, url: string): Pick<ChangeWriter, 'change'> {
  const { live, stored, entry } = namedContent(served, url);
  if (entry.preview) return stored!.updatesOf(entry, entry.preview);
  if (entry.source) throw new RequestError(409, 'ConflictError', followed(entry));
  const changes = live!.of(entry);
  if (!changes) throw unavailable(`The content "${entry.name}" could not be loaded`);
  return changes;
}

function followed({ name }: ContentEntry): string {
  return `The content "${name}" follows a Strapi, and takes no other changes: make them there, or in a preview`;
}

function readKey({ headers }: IncomingMessage): RequestKey['key'] | null {
  const key = headers['idempotency-key'] as string | undefined;
  if (key === undefined) return null;
  if (key.length >= 1 && key.length <= maxKeyLength) return key;
  throw new ValidationError(`The Idempotency-Key has ${key.length} characters: send 1 to ${maxKeyLength}`);
}

function asRequestError(error: unknown): unknown {
  if (!(error instanceof SnapshotError)) return error;
  const { message, problems, count } = error;
  return new RequestError(422, 'ValidationError', message, { problems, count });
}
