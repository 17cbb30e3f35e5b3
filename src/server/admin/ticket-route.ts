import type { RequestHandler } from 'express';
import { isPreview } from '../../content/previews/made-preview.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { conflict, ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview as quoted } from '../../core/problems.ts';
import { ticketPath } from '../tickets/preview-browsers.ts';
import type { Tickets } from '../tickets/tickets.ts';
import { hasBody } from '../upstream/timeouts.ts';
import type { AdminRoute } from './admin-routes.ts';
import { PreviewLimit } from './preview-limit.ts';
import { contentOfName, readJsonOnly } from './read-request.ts';

/** Maximum size of a body, which holds a path. */
const maxBytes = 16_384;

/** The reply of `POST /_contents/NAME/ticket`. */
export interface TicketAnswer {
  /** The path on the main port that opens the preview once. */
  readonly url: string;
  /** The host that chooses the content, or null for the address of the main port. */
  readonly host: string | null;
  /** As ISO 8601. */
  readonly expires: string;
}

/** Answers with a link that opens a preview in a browser. `served` returns null while the first content is being loaded. */
export function ticketRoute(served: () => ServedContents | null, tickets: Tickets): AdminRoute {
  const handle: RequestHandler<{ name: string }> = async (request, response) => {
    const path = hasBody(request) ? readPath(await readJsonOnly(request, { maxBytes })) : '/';
    const { contents, entry } = contentOfName(served(), request.params.name);
    new PreviewLimit(response).checkEntry(entry);
    const { name, id, put } = entry;
    if (!isPreview(put)) throw conflict(`"${name}" is not a preview: a ticket opens previews only`);
    const host = contents.hostOf(entry);
    const { ticket, expires } = tickets.issue(id, path);
    const url = `${host === null ? `/${name}` : ''}${ticketPath}?ticket=${ticket}`;
    response.json({ url, host, expires: new Date(expires).toISOString() } satisfies TicketAnswer);
  };
  return {
    method: 'post',
    path: '/_contents/:name/ticket',
    right: 'contents',
    takesPreviews: true,
    handle: handle as RequestHandler,
  };
}

function readPath(body: unknown): string {
  const { path = '/', ...others } = isPlainObject(body) ? body : { body };
  const [other] = Object.keys(others);
  if (other !== undefined) throw new ValidationError('body: must be an object such as { "path": "/api/articles" }');
  const inside = typeof path === 'string' ? pathInside(path) : null;
  if (inside !== null) return inside;
  throw new ValidationError(
    `body: path: must be a path inside the preview that begins with one /, such as /api/articles, is ${quoted(path)}`,
    { path: ['path'] },
  );
}

const maxLength = 8192;

/**
 * Returns a path in the form in which browsers request it, with its query string and fragment. Returns null for anything
 * that a browser or a proxy could take for another origin or for a path outside.
 */
function pathInside(text: string): string | null {
  if (text.length > maxLength || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(text)) return null;
  const { pathname, search, hash } = new URL(text, 'http://localhost');
  const [given] = text.split(/[?#]/, 1);
  let decoded: string;
  try {
    decoded = decodeURIComponent(given);
  } catch {
    return null;
  }
  const leadsOut = /[\\\p{Cc}]|\/\/|\/\.{1,2}(?:\/|$)/u.test(decoded);
  return leadsOut ? null : pathname + search + hash;
}
