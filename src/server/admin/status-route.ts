import type { RequestHandler } from 'express';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import type { SnapshotWarning } from '../../core/problems.ts';
import type { AdminToken } from '../../model/settings/contents.ts';
import type { AdminRoute } from './admin-routes.ts';

/** The reply of `GET /_status`. */
export interface StatusAnswer {
  readonly token: { readonly name: string; readonly rights: readonly string[] };
  /**
   * The contents that are served and are no previews. Warnings quote the content, so few rights show them. The right
   * `previews` alone shows no contents.
   */
  readonly contents: readonly { readonly name: string; readonly warnings?: readonly SnapshotWarning[] }[];
}

/** Rights that read content, or what is wrong in it, by other routes too. */
const readers: readonly string[] = ['changes', 'contents', 'reload'];

/**
 * Answers with what no other route says: the rights of the token, and the warnings about each content. `served` returns
 * null while the first content is being loaded.
 */
export function statusRoute(served: () => ServedContents | null): AdminRoute {
  const handle: RequestHandler = (_request, response) => {
    const { name, rights } = response.locals.token as AdminToken;
    const isReader = rights.some((right) => readers.includes(right));
    const entries = rights.every((right) => right === 'previews') ? [] : (served()?.contents.all ?? []);
    const contents = entries.flatMap((entry) => {
      const { content } = entry;
      return content ? [{ name: entry.name, ...(isReader && { warnings: content.summary.warnings }) }] : [];
    });
    response.json({ token: { name, rights }, contents } satisfies StatusAnswer);
  };
  return { method: 'get', path: '/_status', right: null, handle };
}
