/** The page at `/_explorer` and its files. */
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import type { Reply } from '../../query/reply/reply.ts';
import type { Responder } from '../content-handler.ts';
import { unavailable } from '../error-replies.ts';
import { noHeaders, type SendOptions, sendReply } from '../send.ts';

/** The origins from which the page may load something, besides its own. */
export interface ExplorerOrigins {
  readonly images: readonly string[];
}

/** The interface of content that the explorer uses. */
export interface ExplorerContent extends Pick<Responder, 'codings'> {
  /** Null if the explorer is switched off. */
  readonly explorer: ExplorerOrigins | null;
}

/** A file of the explorer. */
interface ExplorerFile {
  readonly name: string;
  readonly type: string;
}

/** Where `npm run build` puts the files: the same folder from src/ and from dist/. */
const folder = new URL('../../../dist/explorer/', import.meta.url);

/** By their paths below `/_explorer/`. */
const files: ReadonlyMap<string, ExplorerFile> = new Map([
  ['', { name: 'index.html', type: 'text/html' }],
  ['explorer.js', { name: 'explorer.js', type: 'text/javascript' }],
  ['explorer.css', { name: 'explorer.css', type: 'text/css' }],
]);

/** Creates the handler of the routes `/_explorer{/:file}`. It passes requests for other files on. */
export function createExplorer(content: ExplorerContent, refuseBody: SendOptions['refuseBody']): RequestHandler {
  let policy = '';
  const replies = new Map<ExplorerFile, Reply>();
  return async (request, response, next) => {
    const { explorer, codings } = content;
    const file = files.get(String(request.params.file ?? ''));
    if (!explorer || !file) return next();
    // the page names its files relative to the address without the slash
    if (file.name === 'index.html' && request.path.endsWith('/')) {
      return response.redirect(`../_explorer${/\?.*$/s.exec(request.url)?.[0] ?? ''}`);
    }
    const current = policyOf(explorer);
    if (current !== policy) replies.clear();
    policy = current;
    const reply = replies.get(file) ?? replyOf(file, policy);
    replies.set(file, reply);
    await sendReply(request, response, reply, noHeaders, { codings, refuseBody });
  };
}

/** Returns the content security policy: scripts that may neither be written into the page nor make markup of texts. */
function policyOf({ images }: ExplorerOrigins): string {
  // hosts of URLs may have characters that end a directive
  const origins = images.filter((origin) => /^[\w.:/[\]-]+$/.test(origin));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ["img-src 'self' data:", ...origins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Returns the reply with a file. Throws a 503 if the explorer is not built. */
function replyOf({ name, type }: ExplorerFile, policy: string): Reply {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // a server of another version has other files at the same addresses
    'Cache-Control': 'no-cache',
  };
  try {
    return { status: 200, headers, body: readFileSync(new URL(name, folder)) };
  } catch {
    throw unavailable('The explorer is not built: run "npm run build"');
  }
}
