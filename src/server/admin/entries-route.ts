import type { RequestHandler } from 'express';
import { readDocument } from '../../changes/entries/read-document.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { unavailable } from '../../http/error-replies.ts';
import { readQueryParameters } from '../../http/query-parameter.ts';
import { versionText } from '../../store/content-version.ts';
import type { AdminRoute } from './admin-routes.ts';
import { PreviewLimit } from './preview-limit.ts';
import { contentOfName } from './read-request.ts';

const parameters = ['content', 'locale', 'status'] as const;

/** The reply of `GET /_entries/TYPE/DOCUMENTID`. */
export interface EntriesAnswer {
  /** The latest version, to which changes are made. */
  readonly version: string;
  /** The entries of the document, each in the form that an upsert takes. */
  readonly entries: readonly object[];
}

/**
 * Answers with the entries of a document in the form that is written. `served` returns null while the first content is
 * being loaded.
 */
export function entriesRoute(served: () => ServedContents | null): AdminRoute {
  const handle: RequestHandler<{ type: string; documentId: string }> = async (request, response) => {
    const { content: name, locale, status } = readQueryParameters(request.url, parameters);
    const { entry } = contentOfName(served(), name);
    new PreviewLimit(response).checkEntry(entry);
    const content = entry.preview ? (await entry.preview.open()).content : entry.content;
    if (!content) throw unavailable(`The content "${entry.name}" could not be loaded`);
    const { type, documentId } = request.params;
    const { loaded, version } = content.history;
    const entries = readDocument(loaded, type, documentId, { locale, status });
    response.json({ version: versionText(version), entries } satisfies EntriesAnswer);
  };
  return {
    method: 'get',
    path: '/_entries/:type/:documentId',
    right: 'changes',
    takesPreviews: true,
    handle: handle as RequestHandler,
  };
}
