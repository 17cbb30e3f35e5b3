import proxyaddr from 'proxy-addr';
import { z } from 'zod';
import { adminFields, contentsFields, followFields } from './contents.ts';
import { httpUrl, isPlainHttpUrl } from './media.ts';

/** Settings of the server. Times are in milliseconds unless the description says otherwise. */

const count = z.int().min(1);
const port = z.int().min(0).max(65535);
/** Maximum of Node's timers: about 24 days. */
const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const logFormats = ['auto', 'json', 'text'] as const;
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
      .describe('Sites whose scripts may read replies; * for all. An empty list turns CORS off'),
    credentials: z.boolean().default(false).describe('Whether requests of these sites may carry credentials'),
    maxAge: z.int().min(0).default(31_536_000).describe('Seconds for which browsers may cache preflight replies'),
    exposedHeaders: z
      .array(z.string().regex(/^[A-Za-z0-9-]+$/, 'must be a header name'))
      .default([])
      .describe('Further reply headers that scripts may read, such as ETag'),
  })
  .superRefine(({ origins, credentials }, context) => {
    if (!credentials || !origins.includes('*')) return;
    const message = 'must be false if origins contains *: any site could use the credentials of its visitors';
    context.addIssue({ code: 'custom', path: ['credentials'], message });
  });

const rateLimit = z.strictObject({
  requests: count.describe('Maximum number of requests from one address per period'),
  tokenRequests: count
    .optional()
    .describe('Maximum number of requests with one token or by one user per period. Default: `requests`'),
  seconds: z.int().min(1).max(86_400).default(60).describe('Length of the period in seconds'),
});

const timeouts = z
  .strictObject({
    headers: milliseconds.default(10_000).describe('Time to receive the headers of a request'),
    request: milliseconds
      .default(30_000)
      .describe(
        'Time to receive a whole request. For a forwarded request, or one to the admin port, maximum time without a byte of its body',
      ),
    upstream: milliseconds.default(120_000).describe('Time for the upstream server to start its reply'),
    keepAlive: milliseconds
      .optional()
      .describe('Maximum idle time of a connection. Default: 5000, or 65000 behind a proxy (trustProxy)'),
    send: milliseconds
      .default(30_000)
      .describe(
        'Maximum time without progress while a client reads a reply. The whole reply may take a second per 16 KiB more',
      ),
    drain: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(0)
      .describe('Time for which a stopping server is not ready but still accepts connections, before `stop` begins'),
    stop: milliseconds.default(10_000).describe('Time for requests in progress to finish when the server stops'),
  })
  .superRefine(({ headers, request }, context) => {
    if (headers <= request) return;
    const message = `must be at most timeouts.request (${request})`;
    context.addIssue({ code: 'custom', path: ['headers'], message });
  });

const connections = z.strictObject({
  most: count.default(10_000).describe('Maximum number of open connections. Further ones are closed at once'),
  requests: z
    .int()
    .min(0)
    .default(0)
    .describe('Maximum number of requests on one connection. A further one gets a 503. 0 for no limit'),
  headerBytes: z.int().min(1024).default(32_768).describe('Maximum size of the request line and headers, in bytes'),
  unsentBytes: count
    .default(256 * 2 ** 20)
    .describe('Maximum size of large replies that wait for slow clients, in bytes. A further one is a 503'),
});

const queue = z.strictObject({
  milliseconds: count
    .default(25)
    .describe('Time for which one turn of the event loop answers requests, before it accepts connections'),
  requests: count.default(5000).describe('Maximum number of waiting requests. A further one gets a 503'),
  bytes: count
    .default(32 * 2 ** 20)
    .describe('Maximum memory of waiting requests with URLs and headers, in bytes. A request beyond it gets a 503'),
  perConnection: count
    .default(100)
    .describe('Maximum number of waiting requests of one connection. A further one gets a 503 and closes it'),
});

const log = z.strictObject({
  level: z.enum(logLevels).default('info').describe('Lowest level that is logged'),
  format: z
    .enum(logFormats)
    .default('auto')
    .describe('json: one JSON object per line; text: plain text; auto: text if stderr is a terminal, otherwise json'),
  requests: z.boolean().default(false).describe('Log one line per request at level info'),
  slowMilliseconds: z
    .int()
    .min(0)
    .default(100)
    .describe('A request that takes longer to answer is logged with its plan at level warn; 0 logs none'),
});

/** Bytes of changes since its base from which a journal is compacted. */
export const defaultJournalBytes = 2 ** 24;

export const serverFields = {
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  port: port.default(1337).describe('Port to listen on; 0 for any free port'),
  adminHost: z.string().min(1).default('127.0.0.1').describe('Address of the admin port'),
  adminPort: port
    .optional()
    .describe('Separate port for /_health, /_ready and /_metrics. The main port then serves only /_health'),
  ...adminFields,
  ...contentsFields,
  ...followFields,
  publish: z
    .strictObject({
      to: z
        .string()
        .min(1)
        .describe(
          'Where the content is published: redis://HOST/DATABASE, rediss:, valkey:, valkeys: or file:///FOLDER',
        ),
      name: z.string().min(1).describe('Name under which replicas find it'),
      images: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Where images of the content are written: a folder, an address (https://…) or s3://BUCKET/PREFIX. Default: the folder of a publication at file:///FOLDER',
        ),
      confirmSeconds: z
        .number()
        .min(0)
        .max(300)
        .default(5)
        .describe('How long an event for the webhook waits until all replicas serve its version'),
    })
    .optional()
    .describe('Publishes the content and each change of it for replicas. With several contents, the first one'),
  images: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where a replica finds the images of its publisher: a folder, an address (https://…) or s3://BUCKET/PREFIX. Default: the folder of a publication at file:///FOLDER',
    ),
  threads: z
    .union([z.int().min(1).max(256), z.literal('auto')], 'must be a whole number from 1 to 256, or auto')
    .default(1)
    .describe(
      'Number of threads that answer requests; auto for the number of processors that the process may use. They share the content and divide the memory of caches and queues. More than one needs Node 22.12 or later',
    ),
  journal: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File that keeps the changes of POST /_changes over a restart. With several contents, those of the first one',
    ),
  journalBytes: count
    .default(defaultJournalBytes)
    .describe(
      'Size of the changes in the journal, in bytes, from which it is compacted into an image of the content beside it',
    ),
  webhook: z
    .strictObject({
      url: httpUrl.describe('URL to which each event of /_events is sent with POST'),
      secret: z.string().min(16).optional().describe('Key of the HMAC-SHA256 in X-Lectern-Signature'),
    })
    .optional()
    .describe('Sends what each change made stale. Default: nothing is sent'),
  watch: z.boolean().default(false).describe('Load the snapshot again when it changes'),
  metrics: z.boolean().default(true).describe('Serve Prometheus metrics at /_metrics'),
  upstream: httpUrl
    .optional()
    .describe('URL of the server, such as a Strapi, to which every request that does not read content is forwarded'),
  trustProxy: z
    .array(z.string().refine(isProxyAddress, 'must be an address, a subnet, loopback, linklocal or uniquelocal'))
    .default([])
    .describe('Proxies whose X-Forwarded-For is trusted: addresses, subnets, loopback, linklocal, uniquelocal'),
  securityHeaders: z.boolean().default(true).describe('Send the security headers of helmet'),
  cors: cors.prefault({}).describe('Cross-origin resource sharing'),
  rateLimit: rateLimit.optional().describe('Maximum number of requests of one caller. Default: no limit'),
  timeouts: timeouts.prefault({}).describe('Timeouts in milliseconds'),
  connections: connections.prefault({}).describe('Limits on connections'),
  queue: queue.prefault({}).describe('How requests wait while the server is busy'),
  log: log.prefault({}).describe('Log on stderr'),
};

interface Ports {
  host: string;
  port: number;
  adminHost: string;
  adminPort?: number;
}

/** Rejects an admin port that the main port would occupy. */
export function checkPorts({ host, port, adminHost, adminPort }: Ports, context: z.RefinementCtx): void {
  const isSameHost = host === adminHost || [host, adminHost].some((address) => unspecifiedAddresses.has(address));
  if (port === 0 || adminPort !== port || !isSameHost) return;
  context.addIssue({ code: 'custom', path: ['adminPort'], message: 'must differ from port' });
}

const unspecifiedAddresses = new Set(['0.0.0.0', '::']);

interface UpstreamSettings {
  host: string;
  port: number;
  upstream?: string;
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Rejects this server's own address as its upstream server, because it would forward each request to itself. */
export function checkUpstream({ host, port, upstream }: UpstreamSettings, context: z.RefinementCtx): void {
  if (upstream === undefined || !isPlainHttpUrl(upstream)) return;
  const url = new URL(upstream);
  const isSameHost = url.hostname === host || loopback.test(url.hostname);
  if (port === 0 || Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port || !isSameHost) return;
  context.addIssue({ code: 'custom', path: ['upstream'], message: 'must not be the address of this server' });
}

/** The setting `rateLimit` with its defaults. */
export type RateLimit = z.output<typeof rateLimit>;

/** Whether a text is an address, a subnet or one of the names that proxy-addr defines. */
function isProxyAddress(text: string): boolean {
  try {
    proxyaddr.compile(text);
    return true;
  } catch {
    return false;
  }
}
