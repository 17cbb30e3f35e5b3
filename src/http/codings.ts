import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { ByteBoundedCache, type CacheStatistics } from '../core/byte-bounded-cache.ts';
import { type CodecPool, codecs } from './codec-pool.ts';

/** The name of a content coding in `Accept-Encoding`. */
type Coding = 'br' | 'zstd' | 'gzip';
type Compress = (body: Buffer) => Promise<Buffer>;

/** Smaller bodies are sent uncompressed, because they fit into one packet anyway. In bytes. */
const threshold = 1024;

/**
 * Maximum number of cached `Accept-Encoding` values, of about 200 bytes each. Clients use a handful. Parsing takes 1.1
 * µs.
 */
const maxCachedHeaders = 500;
/** Longer `Accept-Encoding` values are parsed on every request. */
const maxCachedHeaderLength = 200;
/** Longer `Accept-Encoding` values are ignored, and the body is sent uncompressed. Browsers send about 30 bytes. */
const maxHeaderLength = 1024;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

/**
 * The supported codings, in order of preference for equal q-values. Each runs on the thread pool. Brotli at level 4 is
 * faster than gzip at level 6 and compresses better (1.5 MB of articles: 11 ms and 180 KB, gzip 27 ms and 304 KB).
 */
const codings = new Map<Coding, Compress>([
  ['br', compressWithBrotli],
  ...('zstdCompress' in zlib ? [['zstd', promisify(zlib.zstdCompress as typeof zlib.gzip)] as [Coding, Compress]] : []),
  ['gzip', promisify<Buffer, Buffer>(zlib.gzip)],
]);
const names: readonly Coding[] = [...codings.keys()];

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

function compressWithBrotli(body: Buffer): Promise<Buffer> {
  return brotli(body, { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_SIZE_HINT]: body.length } });
}

/** The connection that waits for a body. */
export interface Recipient {
  readonly destroyed: boolean;
}

/** A body that is queued or being compressed. */
interface PendingBody {
  /** Null once the compression has started, because it then always finishes. */
  recipients: Recipient[] | null;
  result: Promise<Buffer | null> | null;
}

/**
 * A cache of compressed bodies, keyed by the digest of the original. Concurrent requests for equal bodies share one
 * compression.
 */
export class Codings {
  readonly #cache: ByteBoundedCache<Buffer>;
  #isCached: boolean;
  readonly #pool: CodecPool;
  readonly #jobs = new Map<string, PendingBody>();
  readonly #accepted = new LRUCache<string, { coding: Coding | null }>({ max: maxCachedHeaders });

  /** `bytes` limits the cache; 0 turns it off. */
  constructor(bytes: number, pool = codecs) {
    this.#cache = new ByteBoundedCache(bytes, (body) => body.length);
    this.#isCached = bytes > 0;
    this.#pool = pool;
  }

  /** Caches at most this many bytes from now on; 0 turns the cache off. */
  resize(bytes: number): void {
    this.#cache.resize(bytes);
    this.#isCached = bytes > 0;
  }

  /** Returns the coding for a body of `bytes` bytes and this `Accept-Encoding`, or null for identity. */
  choose(accepted: string | undefined, bytes: number): Coding | null {
    if (accepted === undefined || bytes < threshold || accepted.length > maxHeaderLength) return null;
    let known = this.#accepted.get(accepted);
    if (!known) {
      known = { coding: preferred(accepted) };
      if (accepted.length <= maxCachedHeaderLength) this.#accepted.set(accepted, known);
    }
    return known.coding;
  }

  /**
   * Returns the compressed body: synchronously if it is cached, otherwise as a promise. Returns or resolves to null if
   * the body must be sent uncompressed, because the queue is full or all recipients have disconnected. Two bodies are
   * equal exactly if their `digest` is equal.
   */
  encode(coding: Coding, digest: string, body: Buffer, recipient: Recipient): Buffer | null | Promise<Buffer | null> {
    const key = `${coding} ${digest}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const job = this.#jobs.get(key);
    if (!job) return this.#enqueue(key, codings.get(coding)!, body, recipient);
    job.recipients?.push(recipient);
    return job.result;
  }

  get figures(): CacheStatistics {
    return this.#cache.statistics;
  }

  #enqueue(key: string, compress: Compress, body: Buffer, recipient: Recipient): Promise<Buffer | null> | null {
    const job: PendingBody = { recipients: [recipient], result: null };
    const isWanted = () => job.recipients!.some(({ destroyed }) => !destroyed);
    const queued = this.#pool.compress(body.length, isWanted, () => {
      job.recipients = null;
      return this.#compress(key, compress, body);
    });
    if (!queued) return null;
    job.result = queued.finally(() => this.#jobs.delete(key));
    this.#jobs.set(key, job);
    return job.result;
  }

  async #compress(key: string, compress: Compress, body: Buffer): Promise<Buffer> {
    const encoded = await compress(body);
    if (!this.#isCached) return encoded;
    // zlib returns a slice of a larger buffer, which would stay in memory as a whole
    const own = Buffer.allocUnsafeSlow(encoded.length);
    encoded.copy(own);
    this.#cache.set(key, own);
    return own;
  }
}

/** Returns the preferred coding, or null for identity. Identity is also the fallback for a client that refuses it. */
function preferred(accepted: string): Coding | null {
  const negotiator: EncodingNegotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const [best] = negotiator.encodings([...names, 'identity'], { preferred: names });
  return codings.has(best as Coding) ? (best as Coding) : null;
}

/** The published types lack the options. */
interface EncodingNegotiator {
  encodings(available: readonly string[], options?: { preferred: readonly string[] }): string[];
}
