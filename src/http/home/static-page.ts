/** Pages that are built into a folder of dist/. They hold no data: their scripts request what they show. */
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import type { Reply } from '../../query/reply/reply.ts';
import { unavailable } from '../error-replies.ts';
import { noHeaders, type SendOptions, sendReply } from '../send.ts';

interface StaticPage extends Pick<SendOptions, 'refuseBody'> {
  /** The folder in dist/, and the path: the page `explorer` is at `/_explorer`. */
  readonly name: string;
  /** The origins from which the page may show images, besides its own. Null if the page is switched off. */
  images(): readonly string[] | null;
  codings(): SendOptions['codings'];
}

/** A file of a page. */
interface PageFile {
  readonly name: string;
  readonly type: string;
}

/** Where `npm run build` puts the pages: the same folder from src/ and from dist/. */
const folder = new URL('../../../dist/', import.meta.url);

/** Creates the handler of the routes `/_NAME{/:file}`. It passes requests for other files on. */
export function createStaticPage({ name, images, codings, refuseBody }: StaticPage): RequestHandler {
  const files: ReadonlyMap<string, PageFile> = new Map([
    ['', { name: 'index.html', type: 'text/html' }],
    [`${name}.js`, { name: `${name}.js`, type: 'text/javascript' }],
    [`${name}.css`, { name: `${name}.css`, type: 'text/css' }],
  ]);
  let policy = '';
  const replies = new Map<PageFile, Reply>();
  return async (request, response, next) => {
    const origins = images();
    const file = files.get(String(request.params.file ?? ''));
    if (!origins || !file) return next();
    // the page names its files relative to the address without the slash
    if (file.name === 'index.html' && request.path.endsWith('/')) {
      return response.redirect(`../_${name}${/\?.*$/s.exec(request.url)?.[0] ?? ''}`);
    }
    const current = policyOf(origins);
    if (current !== policy) replies.clear();
    policy = current;
    const reply = replies.get(file) ?? replyOf(name, file, policy);
    replies.set(file, reply);
    await sendReply(request, response, reply, noHeaders, { codings: codings(), refuseBody });
  };
}

/** Returns the content security policy: scripts that may neither be written into the page nor make markup of texts. */
function policyOf(images: readonly string[]): string {
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

/** Returns the reply with a file. Throws a 503 if the page is not built. */
function replyOf(page: string, { name, type }: PageFile, policy: string): Reply {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // a server of another version has other files at the same addresses
    'Cache-Control': 'no-cache',
  };
  try {
    return { status: 200, headers, body: readFileSync(new URL(`${page}/${name}`, folder)) };
  } catch {
    throw unavailable(`The page is not built: run "npm run build"`);
  }
}
