import { RequestError, SnapshotError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { Reloads } from '../reloads.ts';
import type { AdminRoute } from './admin-routes.ts';
import { readQueryParameter } from './query-parameter.ts';

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
