import type { RequestHandler } from 'express';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError } from '../../core/errors.ts';
import { EventReader } from '../events/event-reader.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { unavailable } from '../operations.ts';
import type { AdminRoute } from './admin-routes.ts';
import { readQueryParameter } from './query-parameter.ts';

/**
 * Sends the tags that each batch made stale as server-sent events. `served` returns null while the first content is being
 * loaded.
 */
export function eventsRoute(served: () => ServedContents | null, streams: EventStreams): AdminRoute {
  const handle: RequestHandler = (request, response) => {
    const contents = served()?.contents;
    if (!contents) throw unavailable('The snapshot is being loaded');
    const name = readQueryParameter(request.url, 'content') ?? contents.first.name;
    const events = streams.of(name);
    if (!events) throw new NotFoundError(noEvents(contents.get(name), name));
    const lastVersion = request.headers['last-event-id'];
    const reader = new EventReader(response);
    if (request.method === 'HEAD') return reader.end();
    events.connect(reader, Array.isArray(lastVersion) ? lastVersion[0] : lastVersion);
  };
  return { method: 'get', path: '/_events', right: 'events', handle };
}

function noEvents(entry: ContentEntry | undefined, name: string): string {
  if (!entry?.preview) return `No content ${JSON.stringify(name)} is served`;
  return `"${name}" is a preview, and previews have no events: read those of "${entry.preview.put.preview.base}"`;
}
