import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { readMethods } from '../../http/error-replies.ts';
import type { HeaderList } from '../../http/send.ts';
import type { Config } from '../../model/settings/config.ts';

/**
 * Request headers that the scripts of other sites may send: those that Strapi allows by default, those that this server
 * reads, and those that fetch libraries and clients of Strapi add.
 */
const allowedHeaders = [
  'Accept',
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'If-None-Match',
  'Origin',
  'Strapi-Encode-Source-Maps',
  'Strapi-Response-Format',
  'X-Lectern-At-Least',
  'X-Lectern-Explain',
  'X-Lectern-Role',
  'X-Requested-With',
];

/**
 * The security and CORS headers of every reply. Helmet and cors run once per configured origin, and content replies use
 * the resulting lists. Other routes use the middlewares themselves.
 */
export class StaticHeaders {
  readonly middlewares: readonly RequestHandler[];
  #defaultList: HeaderList;
  readonly #byOrigin = new Map<string, HeaderList>();

  constructor(settings: Pick<Config, 'securityHeaders' | 'cors'>) {
    this.middlewares = [
      ...(settings.securityHeaders ? [securityHeaders()] : []),
      ...(settings.cors.origins.length > 0 ? [crossOrigin(settings.cors)] : []),
    ];
    this.#defaultList = headersOf(this.middlewares);
    if (settings.cors.origins.includes('*')) return;
    for (const origin of settings.cors.origins) this.#byOrigin.set(origin, headersOf(this.middlewares, origin));
  }

  /** Returns the headers of a reply to GET or HEAD. The same origin always gets the same list. */
  of({ headers: { origin } }: IncomingMessage): HeaderList {
    return (origin !== undefined && this.#byOrigin.get(origin)) || this.#defaultList;
  }

  /** Adds `Connection: close`, so that every connection ends with its next reply. */
  close(): void {
    const closing = (headers: HeaderList) => [...headers, 'Connection', 'close'];
    this.#defaultList = closing(this.#defaultList);
    for (const [origin, headers] of this.#byOrigin) this.#byOrigin.set(origin, closing(headers));
  }
}

/** Creates a helmet middleware with the headers that matter for JSON. The home page sets its own CSP. */
function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: false,
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xFrameOptions: { action: 'deny' },
    // the server does not know whether subdomains support HTTPS
    strictTransportSecurity: { includeSubDomains: false },
  }) as RequestHandler;
}

function crossOrigin({ origins, credentials, maxAge, exposedHeaders }: Config['cors']): RequestHandler {
  return cors({
    origin: origins.includes('*') ? '*' : origins,
    credentials,
    maxAge,
    exposedHeaders,
    methods: readMethods,
    allowedHeaders,
    // the app answers OPTIONS and sets Allow
    preflightContinue: true,
  });
}

/** Returns the headers that the middlewares set on the reply to a GET from an origin. */
function headersOf(middlewares: readonly RequestHandler[], origin?: string): HeaderList {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  if (origin !== undefined) request.headers.origin = origin;
  const response = new ServerResponse(request);
  for (const middleware of middlewares) middleware(request as never, response as never, () => {});
  const names = (response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
  return names.flatMap((name) => [name, String(response.getHeader(name))]);
}
