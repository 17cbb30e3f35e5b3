/**
 * Middlewares for `/uploads`, with the headers of the files: of a folder, of an archive that is being unpacked, or
 * redirects.
 */
import { realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import express, { type RequestHandler, type Response } from 'express';
import { contentType } from 'mime-types';
import { RequestError } from '../../core/errors.ts';
import type { Middleware } from '../content-handler.ts';
import { sendError } from '../error-replies.ts';
import type { UnpackedFiles } from './unpacking.ts';

/** Maximum time for which a request waits for its file to be unpacked, in milliseconds. */
const maxWait = 10_000;

/** Seconds for which caches may keep a redirect. */
const redirectMaxAge = 3600;

/** Calls `next` for requests that it does not serve, as `express.static` does. */
export type UploadsMiddleware = Middleware;

/** Serves the files of a folder. `names` restricts the files; null serves all. */
export function folderUploads(
  folder: string,
  names: ReadonlySet<string> | null,
  caching: FileCaching,
): UploadsMiddleware {
  const serve = staticFiles(folder, caching);
  return forReads((path, request, response, next) => {
    if (names && !names.has(path)) next();
    else serve(path, request, response, next);
  });
}

/** Serves the files of an archive as they are unpacked. */
export function archiveUploads(unpacking: UnpackedFiles, caching: FileCaching): UploadsMiddleware {
  let serve: FileHandler | null = null;
  return forReads(async (path, request, response, next) => {
    const state = await unpacking.state(path, maxWait);
    if (state === 'missing') return next();
    if (state === 'ready') {
      serve ??= staticFiles(unpacking.folder!, caching);
      return serve(path, request, response, next);
    }
    response.setHeader('Retry-After', '1');
    sendError(request, response, new RequestError(503, 'ServiceUnavailableError', 'The file is being unpacked'));
  });
}

/** Redirects to the same path under another URL. */
export function redirectedUploads(address: string): UploadsMiddleware {
  const base = address.replace(/\/+$/, '');
  return forReads((path, request, response) => {
    const query = /\?.*$/s.exec(request.url)?.[0] ?? '';
    response.statusCode = 302;
    response.setHeader('Location', `${base}/${path.split('/').map(encodeURIComponent).join('/')}${query}`);
    response.setHeader('Cache-Control', `public, max-age=${redirectMaxAge}`);
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Content-Length', 0);
    response.end();
  });
}

type FileHandler = (path: string, ...rest: Parameters<RequestHandler>) => void | Promise<void>;

/** Creates a middleware that calls `handle` for GET and HEAD requests with a safe path, relative to the mount point. */
function forReads(handle: FileHandler): Middleware {
  const read: RequestHandler = (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = isRead ? pathBelow(request.url) : null;
    return path === null ? next() : handle(path, request, response, next);
  };
  return read as unknown as Middleware;
}

function staticFiles(folder: string, caching: FileCaching): FileHandler {
  const files = express.static(folder, {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    setHeaders: (response, path) => {
      for (const [name, value] of headersOf(path, caching)) response.setHeader(name, value);
      // pages of the same site may frame a document, as in Strapi
      if (response.hasHeader('X-Frame-Options')) response.setHeader('X-Frame-Options', 'SAMEORIGIN');
    },
  });
  return async (path, request, response, next) => {
    // rejects devices and pipes, whose reads may never end, and links that lead out of the folder
    if (!(await isFileInside(folder, path))) return next();
    files(request, response, (error?: unknown) => (error ? sendStaticError(error, request, response, next) : next()));
  };
}

async function isFileInside(folder: string, path: string): Promise<boolean> {
  try {
    const root = await realpath(folder);
    const file = await realpath(join(folder, path));
    return file.startsWith(root + sep) && (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Sends errors of the static middleware, such as an unsatisfiable range, as JSON. */
function sendStaticError(error: unknown, ...[request, response, next]: Parameters<RequestHandler>): void {
  const { status, statusCode = status } = error as { status?: number; statusCode?: number };
  const expected = statusCode === undefined ? undefined : expectedErrors.get(statusCode);
  if (!expected || response.headersSent) return next(error);
  clearFileHeaders(response);
  sendError(request, response, expected);
}

/** The errors of the static middleware that a request can cause, by status. */
const expectedErrors = new Map([
  [412, new RequestError(412, 'PreconditionFailedError', 'The file does not match the precondition of the request')],
  [416, new RequestError(416, 'RangeNotSatisfiableError', 'The file does not have the requested range')],
]);

function clearFileHeaders(response: Response): void {
  for (const name of ['ETag', 'Last-Modified', 'Content-Disposition', 'Content-Length', 'Content-Security-Policy']) {
    response.removeHeader(name);
  }
}

/**
 * Returns the decoded path of a URL relative to the mount point, without a leading slash. Returns null for a path that
 * is never served: invalid escapes, hidden files, empty segments, `.` and `..`, backslashes and NUL.
 */
export function pathBelow(url: string): string | null {
  const encoded = url.replace(/[?#].*$/s, '');
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return null;
  }
  if (!path.startsWith('/') || /[\\\0]/.test(path)) return null;
  const names = path.slice(1).split('/');
  return names.some((name) => name === '' || name.startsWith('.')) ? null : names.join('/');
}

/** Types that no browser shows as a page with scripts. All other types are sandboxed, so that unknown ones are safe. */
const isPassive = /^(?:image|video|audio|font)\/(?!.*xml)|^application\/pdf$/;
/** Pages whose scripts a browser would run in the origin of the site. They are downloaded. */
const isPage = /^text\/html$|^message\/rfc822$|[/+]xml(?:-|$)/;
const drawing = 'image/svg+xml';

/** Blocks scripts, forms and external resources. */
const sandbox =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; sandbox";

/**
 * Strapi appends random digits to the names of uploaded files, so a name identifies its content. Only "Replace media"
 * reuses a name.
 */
const hasHash = /_[0-9a-f]{10}\.[^.]+$|_[0-9a-f]{10}$/;

/** Default `max-age` of files that a Strapi may replace under their names, in seconds. */
const replacedFileMaxAge = 60;
/** Default `max-age` of other files, and the maximum of those whose names do not identify them. */
const defaultMaxAge = 31_536_000;
const reusedNameMaxAge = 3600;

/** How long caches may keep files. */
interface FileCaching {
  /** Maximum in seconds. */
  readonly maxAge: number;
  /** Whether a name that ends with random digits identifies its content. */
  readonly identifies: boolean;
}

/** The setting `uploadsMaxAge` takes precedence over `replacesFiles`, which says whether the Strapi reuses names. */
export function cachingOf(maxAge: number | undefined, replacesFiles: boolean): FileCaching {
  const identifies = maxAge !== undefined || !replacesFiles;
  return { maxAge: maxAge ?? (identifies ? defaultMaxAge : replacedFileMaxAge), identifies };
}

/** Returns the headers of a file, in addition to those of the static middleware, which keeps this `Content-Type`. */
export function headersOf(path: string, caching: FileCaching): [string, string][] {
  const sentType = contentType(extname(path)) || 'application/octet-stream';
  const [type] = sentType.split(';', 1);
  const headers: [string, string][] = [
    ['Content-Type', sentType],
    ['Cache-Control', cacheControlOf(path, caching)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ];
  if (!isPassive.test(type)) headers.push(['Content-Security-Policy', sandbox]);
  if (isPage.test(type) && type !== drawing) headers.push(['Content-Disposition', 'attachment']);
  return headers;
}

function cacheControlOf(path: string, { maxAge, identifies }: FileCaching): string {
  if (maxAge === 0) return 'public, max-age=0, must-revalidate';
  if (identifies && hasHash.test(path)) return `public, max-age=${maxAge}, immutable`;
  return `public, max-age=${Math.min(maxAge, reusedNameMaxAge)}`;
}
