import type { RequestHandler } from 'express';
import type { PreviewFacts } from '../../content/previews/preview-facts.ts';
import type { ContentEntry, Contents } from '../../content/registry/contents.ts';
import type { PreviewSource } from '../../content/registry/put-content.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { unavailable } from '../operations.ts';
import type { AdminRoute } from './admin-routes.ts';
import { readPut } from './read-put.ts';

/**
 * Lists, puts and deletes contents. `served` returns null while the first content is being loaded. `makesPreviews`:
 * requests have previews made in this thread.
 */
export function contentsRoutes(served: () => ServedContents | null, makesPreviews: boolean): AdminRoute[] {
  const ready = () => {
    const contents = served();
    if (!contents) throw unavailable('The snapshot is being loaded');
    return contents;
  };
  const list: RequestHandler = async (_request, response) => {
    const { contents } = ready();
    // no request tells this thread whether they still fit their base; if one does not, its description says so
    if (!makesPreviews) await Promise.allSettled(contents.all.map(({ preview }) => preview?.open()));
    response.json({ contents: contents.all.map((entry) => describe(entry, contents)) });
  };
  const put: RequestHandler<{ name: string }> = async (request, response) => {
    const { stored, contents } = ready();
    const { options, source } = await readPut(request);
    const { entry, isNew } = await stored!.put(request.params.name, options, source);
    response.status(isNew ? 201 : 200).json(describe(entry, contents));
  };
  const remove: RequestHandler<{ name: string }> = async (request, response) => {
    await ready().stored!.delete(request.params.name);
    response.status(204).end();
  };
  const path = '/_contents/:name';
  return [
    { method: 'get', path: '/_contents', right: 'contents', handle: list },
    { method: 'put', path, right: 'contents', handle: put as RequestHandler },
    { method: 'delete', path, right: 'contents', handle: remove as RequestHandler },
  ];
}

/** Times in the result are in seconds, or ISO 8601. */
function describe(entry: ContentEntry, contents: Contents): object {
  const { name, put, lastUse } = entry;
  const { version, entries, bytes, error, since, ...preview } = factsOf(entry);
  const now = Date.now();
  return {
    name,
    ...preview,
    version,
    entries,
    host: contents.hostOf(entry),
    bytes,
    age: since === null ? null : Math.round((now - Date.parse(since)) / 1000),
    lastUsed: lastUse[0] === 0 ? null : new Date(lastUse[0]).toISOString(),
    lifetimeLeft: put?.expires ? Math.max(0, Math.ceil((Date.parse(put.expires) - now) / 1000)) : null,
    error,
  };
}

interface Facts extends PreviewFacts, Partial<Pick<PreviewSource, 'base' | 'drafts'>> {
  /** When it was loaded or put. */
  readonly since: string | null;
}

function factsOf({ content, preview, error }: ContentEntry): Facts {
  if (preview) {
    const { putAt, preview: source } = preview.put;
    return { base: source.base, drafts: source.drafts, ...preview.facts, since: putAt };
  }
  if (!content) return { version: null, entries: null, bytes: null, error, since: null };
  const { version, types, loadedAt } = content.summary;
  const entries = types.reduce((total, type) => total + type.entries, 0);
  return { version, entries, bytes: content.served.storeBytes, error, since: loadedAt };
}
