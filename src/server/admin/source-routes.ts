/** Routes of the admin port that read a source again. */
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError, RequestError, SnapshotError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview } from '../../core/problems.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { Reloads } from '../reloads.ts';
import type { AdminRoute } from './admin-routes.ts';
import { namedContent, readQueryParameter } from './named-content.ts';
import { readJsonOnly } from './read-body.ts';

/**
 * Loads the snapshot again and answers when it is served. A snapshot that does not load is a 422. `?changes=discard` begins
 * the journal of the first content anew.
 */
export function reloadRoute(reloads: Reloads): AdminRoute {
  return {
    method: 'post',
    path: '/_reload',
    right: 'reload',
    handle: async (request, response) => {
      const discardsChanges = readDiscards(request.url);
      const busy = reloads.busy;
      if (busy !== null) throw new RequestError(409, 'ConflictError', busy);
      response.json(await reloads.run('request', { discardsChanges }).catch(asRequestError));
    },
  };
}

/** Reads `?changes=discard`. */
function readDiscards(url: string): boolean {
  const changes = readQueryParameter(url, 'changes');
  if (changes === null || changes === 'discard') return changes !== null;
  throw new ValidationError(`query: changes must be discard, is ${preview(changes)}`);
}

function asRequestError(error: unknown): never {
  if (error instanceof SnapshotError) {
    const { message, problems, count } = error;
    throw new RequestError(422, 'SnapshotError', message, { problems, count });
  }
  if (error instanceof ConfigError) throw new RequestError(422, 'ConfigError', error.message);
  throw new RequestError(
    500,
    'InternalServerError',
    'The reload failed, and the old content is still served: see the log',
  );
}

/** Maximum size of a webhook. Strapi sends whole entries, with all that they populate. */
const maxBytes = 2 ** 20;

/**
 * Takes webhooks of Strapi as a sign that the source of the content of the query parameter `content`, by default the first
 * one, has changed. Their entries are never served: the source is read instead, after the reply. `served` returns null
 * while the first content is being loaded.
 */
export function hooksRoute(served: () => ServedContents | null): AdminRoute {
  return {
    method: 'post',
    path: '/_hooks/strapi',
    right: 'hooks',
    handle: async (request, response) => {
      const { entry } = namedContent(served(), request.url);
      const { source } = entry;
      if (!source) throw new NotFoundError(`The content "${entry.name}" does not follow a source`);
      const body = await readJsonOnly(request, { maxBytes });
      if (!isPlainObject(body)) throw new ValidationError(`body: must be an object, is ${preview(body)}`);
      source.hint(body);
      response.status(204).end();
    },
  };
}
