import { RequestError, SnapshotError } from '../../base/errors.ts';
import { ConfigError } from '../../config/config.ts';
import type { Reloads } from '../reload/reloads.ts';
import type { AdminRoute } from './admin-routes.ts';

/** Loads the snapshot again and answers when it is served. A snapshot that does not load is a 422. */
export function reloadRoute(reloads: Reloads): AdminRoute {
  return {
    method: 'post',
    path: '/_reload',
    right: 'reload',
    handle: async (_request, response) => {
      const busy = reloads.busy;
      if (busy !== null) throw new RequestError(409, 'ConflictError', busy);
      response.json(await reloads.run('request').catch(asRequestError));
    },
  };
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
