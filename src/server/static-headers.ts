import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../config/config.ts';
import { readMethods } from '../http/router.ts';
import type { HeaderList } from '../http/send.ts';

/** Those that browsers let no script send unasked, and that say something to this server. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'If-None-Match',
  'Strapi-Response-Format',
  'X-Lectern-Explain',
];

/**
 * The headers around every reply: security and CORS. Both libraries are asked once for each origin that makes a
 * difference, and what they set is kept as a list; where speed does not matter they are the middlewares themselves.
 */
export class StaticHeaders {
  readonly middlewares: readonly RequestHandler[];
  #others: HeaderList;
  readonly #byOrigin = new Map<string, HeaderList>();

  constructor(settings: Pick<Config, 'securityHeaders' | 'cors'>) {
    this.middlewares = [
      ...(settings.securityHeaders ? [securityHeaders()] : []),
      ...(settings.cors.origins.length > 0 ? [crossOrigin(settings.cors)] : []),
    ];
    this.#others = headersOf(this.middlewares);
    if (settings.cors.origins.includes('*')) return;
    for (const origin of settings.cors.origins) this.#byOrigin.set(origin, headersOf(this.middlewares, origin));
  }

  /** The headers of a reply to GET or HEAD: the same list each time. */
  of({ headers: { origin } }: IncomingMessage): HeaderList {
    return (origin !== undefined && this.#byOrigin.get(origin)) || this.#others;
  }

  /** From now on every connection ends with its next reply. */
  close(): void {
    const closing = (headers: HeaderList) => [...headers, 'Connection', 'close'];
    this.#others = closing(this.#others);
    for (const [origin, headers] of this.#byOrigin) this.#byOrigin.set(origin, closing(headers));
  }
}

/** What helmet sets that says something about JSON. The page at `/` has a content security policy of its own. */
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
    // whether other names below this one have certificates is not this server's to say
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
    // the app answers OPTIONS, with Allow
    preflightContinue: true,
  });
}

/** What middlewares set on the reply to a GET from an origin, as names and values in turn. */
function headersOf(middlewares: readonly RequestHandler[], origin?: string): HeaderList {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  if (origin !== undefined) request.headers.origin = origin;
  const response = new ServerResponse(request);
  for (const middleware of middlewares) middleware(request as never, response as never, () => {});
  const names = (response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
  return names.flatMap((name) => [name, String(response.getHeader(name))]);
}
