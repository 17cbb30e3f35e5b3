import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Content } from '../../content/content.ts';
import { publishedElsewhere } from '../../content/registry/content-source.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import type { RecentVersion } from '../../content/versions/kept-versions.ts';
import { conflict, RequestError, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { unavailable } from '../../http/error-replies.ts';
import { versionText } from '../../store/content-version.ts';
import type { AdminRoute } from './admin-routes.ts';
import { namedContent, readJsonOnly } from './read-request.ts';

/** Maximum size of a body, which holds a version. */
const maxBytes = 4096;

/** The reply of `/_pin`. */
export interface PinAnswer {
  /** The version that is served. */
  readonly version: string;
  readonly latest: string;
  /** Since when the version is pinned, as ISO 8601. Null if the latest one is served. */
  readonly pinnedSince: string | null;
  /** The versions that can be pinned, the latest first. */
  readonly versions: readonly RecentVersion[];
}

/**
 * Lists the last versions of the content of the query parameter `content`, by default the first one, holds serving at one
 * of them, and serves the latest one again. `served` returns null while the first content is being loaded.
 */
export function pinRoutes(served: () => ServedContents | null, log: Logger): AdminRoute[] {
  const list: RequestHandler = (request, response) => {
    response.json(answerOf(requested(served(), request.url).content));
  };
  const pin = async (url: string, version: string | null): Promise<PinAnswer> => {
    const { contents, entry, changes, content } = requested(served(), url);
    const publication = entry.source?.publication;
    if (publication !== undefined) throw conflict(publishedElsewhere(entry.name, publication, 'pin a version'));
    await changes.pin(version, () => contents.pin(entry));
    log.info(
      { content: entry.name, version: content.version },
      version === null ? 'the latest version is served' : 'serving is pinned to a version',
    );
    return answerOf(content);
  };
  const put: RequestHandler = async (request, response) => {
    const version = readVersion(await readJsonOnly(request, { maxBytes }));
    response.json(await pin(request.url, version));
  };
  const release: RequestHandler = async (request, response) => {
    response.json(await pin(request.url, null));
  };
  const route = { path: '/_pin', right: 'pin' } as const;
  return [
    { ...route, method: 'get', handle: list },
    { ...route, method: 'put', handle: put },
    { ...route, method: 'delete', handle: release },
  ];
}

function requested(served: ServedContents | null, url: string) {
  const { contents, live, entry } = namedContent(served, url);
  const { content, preview } = entry;
  if (preview) {
    const { base } = preview.put.preview;
    throw new RequestError(409, 'ConflictError', `"${entry.name}" is a preview of what "${base}" serves: pin that one`);
  }
  const changes = live!.of(entry);
  if (!content || !changes) throw unavailable(`The content "${entry.name}" could not be loaded`);
  return { contents, entry, content, changes };
}

function readVersion(body: unknown): string {
  if (isPlainObject(body) && Object.keys(body).length === 1 && typeof body.version === 'string') return body.version;
  throw new ValidationError('body: must be an object such as { "version": "1767225600000-3" }');
}

function answerOf({ version, history, pinned, versions }: Content): PinAnswer {
  return { version, latest: versionText(history.version), pinnedSince: pinned?.since ?? null, versions };
}
