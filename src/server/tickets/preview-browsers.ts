import type { IncomingMessage, RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { viewerToken } from '../../content/previews/viewer.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import { NotFoundError, RequestError } from '../../core/errors.ts';
import { appOf } from '../../http/app.ts';
import type { RequestHooks } from '../../http/content-handler.ts';
import { prefersPage } from '../../http/home/unknown-route.ts';
import { withoutOrigin } from '../../http/prefix.ts';
import { readQueryParameter } from '../../http/query-parameter.ts';
import { type CookieSettings, cookieOf, hasCookie, isOwnRequest } from './preview-cookie.ts';
import { sendClosedTicket, sendLockedPage } from './ticket-pages.ts';
import { digestOf, type OpenTicket } from './tickets.ts';

/** The path below a preview at which tickets are opened. */
export const ticketPath = '/_preview';

/** What is open to everybody, also in a preview that has a token. */
const publicPath = /^\/(?:uploads|_explorer)(?:[/?]|$)/i;

export interface BrowserOptions {
  /** Middlewares that run first for requests other than content requests. */
  readonly before: readonly RequestHandler[];
  readonly cookie: CookieSettings;
  readonly openTicket: OpenTicket;
  isEncrypted(request: IncomingMessage): boolean;
  readonly onError: RequestHooks['onError'];
}

/** Lets browsers into a preview: opens tickets, and reads the cookie that they get for one. */
export class PreviewBrowsers {
  readonly #entry: ContentEntry;
  readonly #options: BrowserOptions;
  /** Answers requests with a ticket, and browsers that are not let in. */
  readonly answer: RequestListener;

  constructor(entry: ContentEntry, options: BrowserOptions) {
    this.#entry = entry;
    this.#options = options;
    this.answer = appOf([...options.before, this.#handle], () => new NotFoundError(), options.onError);
  }

  /** Whether readers need a token or the cookie. */
  get isLocked(): boolean {
    return this.#entry.put!.preview!.sha256 !== null;
  }

  /**
   * Decides who answers a request: this object, or the preview. A request with a cookie that counts gets the credentials
   * of a reader.
   */
  admit(request: IncomingMessage): 'page' | 'viewer' | 'caller' {
    const { headers, method } = request;
    const url = withoutOrigin(request.url ?? '');
    if (isTicket(url)) return 'page';
    const isRead = method === 'GET' || method === 'HEAD';
    if (!this.isLocked || !isRead || headers.authorization !== undefined) return 'caller';
    if (this.#hasCountedCookie(request)) {
      headers.authorization = `Bearer ${viewerToken}`;
      return 'viewer';
    }
    return prefersPage(request) && !publicPath.test(url) ? 'page' : 'caller';
  }

  #hasCountedCookie(request: IncomingMessage): boolean {
    const { cookie, isEncrypted } = this.#options;
    return hasCookie(request, this.#entry) && isOwnRequest(request, cookie, isEncrypted(request));
  }

  readonly #handle: RequestHandler = async (request, response, next) => {
    const { method, url, baseUrl } = request;
    const { name, id } = this.#entry;
    if (!isTicket(url)) return sendLockedPage(response, name);
    // a HEAD would use the ticket up, and other methods get the 405 of the app
    if (method === 'HEAD') {
      response.setHeader('Allow', 'GET');
      throw new RequestError(405, 'MethodNotAllowedError', 'Open a ticket with GET');
    }
    if (method !== 'GET') return next();
    response.setHeader('Referrer-Policy', 'no-referrer');
    const ticket = readQueryParameter(url, 'ticket');
    if (!ticket) return sendClosedTicket(request, response, name, 'missing');
    const opened = await this.#options.openTicket(digestOf(ticket), id);
    if ('problem' in opened) return sendClosedTicket(request, response, name, opened.problem);
    if (this.isLocked) response.setHeader('Set-Cookie', this.#cookie(request, baseUrl));
    response.writeHead(303, { Location: baseUrl + opened.path, 'Content-Length': 0 }).end();
  };

  #cookie(request: IncomingMessage, base: string): string {
    const { cookie, isEncrypted } = this.#options;
    return cookieOf(this.#entry, cookie, { base, isEncrypted: isEncrypted(request), now: Date.now() });
  }
}

function isTicket(url: string): boolean {
  return url === ticketPath || url.startsWith(`${ticketPath}?`);
}
