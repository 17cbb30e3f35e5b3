import type { RequestHandler } from 'express';
import { NotFoundError, ValidationError } from '../../base/errors.ts';
import { preview } from '../../base/problems.ts';
import type { ServedContents } from '../../contents/served-contents.ts';
import { EventReader } from '../events/event-reader.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { unavailable } from '../operations.ts';
import type { AdminRoute } from './admin-routes.ts';

/** Sends the tags that each batch made stale as server-sent events. `served` returns null while the first content is being loaded. */
export function eventsRoute(served: () => ServedContents | null, streams: EventStreams): AdminRoute {
  const handle: RequestHandler = (request, response) => {
    const contents = served()?.contents;
    if (!contents) throw unavailable('The snapshot is being loaded');
    const name = readName(request.url) ?? contents.first.name;
    const events = streams.of(name);
    if (!events) throw new NotFoundError(`No content ${JSON.stringify(name)} is served`);
    const lastVersion = request.headers['last-event-id'];
    const reader = new EventReader(response);
    if (request.method === 'HEAD') return reader.end();
    events.connect(reader, Array.isArray(lastVersion) ? lastVersion[0] : lastVersion);
  };
  return { method: 'get', path: '/_events', right: 'events', handle };
}

/** Returns the value of `?content=NAME`, or null. Throws a ValidationError for another query. */
function readName(url: string): string | null {
  const { searchParams } = new URL(url, 'http://localhost');
  const [wrong] = [...searchParams.keys()].filter((key, i) => key !== 'content' || i > 0);
  if (wrong !== undefined)
    throw new ValidationError(`query: ${preview(wrong)} is unknown or given twice; only "content" is read`);
  return searchParams.get('content');
}
