import proxyaddr from 'proxy-addr';
import { z } from 'zod';
import { isPlainHttpUrl } from './media.ts';

/** What can be set about the server alone; all times are in milliseconds unless a name says otherwise. */

const count = z.int().min(1);
const port = z.int().min(0).max(65535);
/** Node's timers take no more: some 24 days. */
const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof logFormats)[number];

const cors = z
  .strictObject({
    origins: z
      .array(
        z
          .string()
          .regex(
            /^(\*|[a-z][a-z0-9+.-]*:\/\/[^/\s,]+)$/,
            'must be * or an origin such as https://example.org, without a path',
          ),
      )
      .default(['*'])
      .describe('Sites whose scripts may read replies: * for all; none turns CORS off'),
    credentials: z.boolean().default(false).describe('Whether their requests may carry cookies and the like'),
    maxAge: z.int().min(0).default(31_536_000).describe('Seconds for which browsers keep the answer to a preflight'),
    exposedHeaders: z
      .array(z.string().regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header'))
      .default([])
      .describe('Headers that scripts may read besides the usual ones, such as ETag'),
  })
  .superRefine(({ origins, credentials }, context) => {
    if (!credentials || !origins.includes('*')) return;
    const message = 'must be false where origins hold *: any site could read what its visitors may';
    context.addIssue({ code: 'custom', path: ['credentials'], message });
  });

const rateLimit = z.strictObject({
  requests: count.describe('Requests from one address'),
  tokenRequests: count.optional().describe('Requests with one token or by one user; as many as `requests` without it'),
  seconds: z.int().min(1).max(86_400).default(60).describe('within so many seconds'),
});

const timeouts = z
  .strictObject({
    headers: milliseconds.default(10_000).describe("Until a request's headers are there"),
    request: milliseconds
      .default(30_000)
      .describe('Until a whole request is there; of one that goes to the upstream server, without a byte of its body'),
    upstream: milliseconds.default(120_000).describe('Until the upstream server begins its reply'),
    keepAlive: milliseconds
      .optional()
      .describe('For which a connection may be idle between requests: 5000; 65000 behind a proxy (trustProxy)'),
    send: milliseconds
      .default(30_000)
      .describe('For which a client may take nothing of a reply; for all of it, this and a second for each 16 KiB'),
    stop: milliseconds
      .default(10_000)
      .describe('For which requests under way may take to finish when the server stops'),
  })
  .superRefine(({ headers, request }, context) => {
    if (headers <= request) return;
    const message = `must be at most that of timeouts.request, ${request}`;
    context.addIssue({ code: 'custom', path: ['headers'], message });
  });

const connections = z.strictObject({
  most: count.default(10_000).describe('Open at a time; more are closed at once'),
  requests: z
    .int()
    .min(0)
    .default(0)
    .describe('Requests on one connection, after which a client that goes on gets a 503; 0 is any number'),
  headerBytes: z.int().min(1024).default(32_768).describe("Bytes of a request's line and headers"),
  unsentBytes: count
    .default(256 * 2 ** 20)
    .describe('Bytes of large replies that wait for slow clients; a request for more is a 503'),
});

const queue = z.strictObject({
  milliseconds: count
    .default(25)
    .describe(
      'How long requests are answered, in milliseconds, before new connections and requests for health are looked at',
    ),
  requests: count.default(5000).describe('Requests that may wait; one more is a 503'),
  bytes: count
    .default(32 * 2 ** 20)
    .describe('Bytes of memory that waiting requests may take, with URLs and headers; one beyond that is a 503'),
  perConnection: count
    .default(100)
    .describe('Requests of one connection that may wait; one more is a 503, and the connection ends'),
});

const log = z.strictObject({
  level: z.enum(logLevels).default('info').describe('Least level that is written'),
  format: z
    .enum(logFormats)
    .default('auto')
    .describe('json: one JSON object a line; text: sentences; auto: text if stderr is a terminal, else json'),
  requests: z.boolean().default(false).describe('One line for each request, at level info'),
  slowMilliseconds: z
    .int()
    .min(0)
    .default(100)
    .describe('A request that takes longer to answer is written with its plan, at level warn; 0 writes none'),
});

export const serverFields = {
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  port: port.default(1337).describe('Port to listen on; 0 takes a free one'),
  adminHost: z.string().min(1).default('127.0.0.1').describe('Address of the admin port'),
  adminPort: port
    .optional()
    .describe('Port of its own for /_health, /_ready and /_metrics; then the main port has /_health alone'),
  metrics: z.boolean().default(true).describe('Whether /_metrics is there'),
  upstream: z
    .string()
    .refine(isPlainHttpUrl, 'must be an http or https URL without credentials, query and fragment')
    .optional()
    .describe('Address of the server, such as a Strapi, to which all requests go that do not read content'),
  trustProxy: z
    .array(z.string().refine(isAddress, 'must be an address, a subnet, loopback, linklocal or uniquelocal'))
    .default([])
    .describe('Proxies whose X-Forwarded-For is believed: addresses, subnets, loopback, linklocal, uniquelocal'),
  securityHeaders: z.boolean().default(true).describe("Send helmet's headers"),
  cors: cors.prefault({}).describe('Cross-origin resource sharing'),
  rateLimit: rateLimit.optional().describe('Requests that one caller may send; without it there is no limit'),
  timeouts: timeouts.prefault({}).describe('How long a client may take, in milliseconds'),
  connections: connections.prefault({}).describe('What connections may cost'),
  queue: queue.prefault({}).describe('How requests wait while the server is busy'),
  log: log.prefault({}).describe('What is written to stderr'),
};

interface Ports {
  host: string;
  port: number;
  adminHost: string;
  adminPort?: number;
}

/** Refuses an admin port that the main port would occupy. */
export function checkPorts({ host, port, adminHost, adminPort }: Ports, context: z.RefinementCtx): void {
  const isSameHost = host === adminHost || [host, adminHost].some((address) => everyAddress.has(address));
  if (port === 0 || adminPort !== port || !isSameHost) return;
  context.addIssue({ code: 'custom', path: ['adminPort'], message: 'must differ from port' });
}

const everyAddress = new Set(['0.0.0.0', '::']);

interface Own {
  host: string;
  port: number;
  upstream?: string;
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Refuses this server's own address as its upstream server: each request would go round for ever. */
export function checkUpstream({ host, port, upstream }: Own, context: z.RefinementCtx): void {
  if (upstream === undefined || !isPlainHttpUrl(upstream)) return;
  const url = new URL(upstream);
  const isSameHost = url.hostname === host || loopback.test(url.hostname);
  if (port === 0 || Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port || !isSameHost) return;
  context.addIssue({ code: 'custom', path: ['upstream'], message: 'must be another server than this one' });
}

/** How many requests one caller may send. */
export type RateLimit = z.output<typeof rateLimit>;

function isAddress(text: string): boolean {
  try {
    proxyaddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
