import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { CacheStatistics } from '../engine/byte-bounded-cache.ts';
import { type CodecPool, codecs } from './codecs.ts';

/** A content coding by its name in `Accept-Encoding`. */
type Coding = 'br' | 'zstd' | 'gzip';
type Compress = (body: Buffer) => Promise<Buffer>;

/** A body with fewer bytes is sent as it is: it fits into one packet anyway. */
const threshold = 1024;

/** What an entry of the cache takes besides its bytes, about. */
const overheadBytes = 256;

/** How many ways to write `Accept-Encoding` are remembered, of some 200 bytes each; clients write a handful. */
const rememberedHeaders = 500;
/** A longer header is read anew each time. */
const longestRememberedHeader = 200;
/** A longer header is not read: the body is sent as it is. Browsers send some 30 bytes. */
const longestReadHeader = 1024;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;

/**
 * In the order in which they are taken where a client likes several alike. Each works on the thread pool. Brotli at 4
 * takes about as long as gzip at 6 and gives less (1.5 MB of articles: 11 ms and 180 KB, beside 27 ms and 304 KB).
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

/** Whoever waits for a body: its connection. */
export interface Asker {
  readonly destroyed: boolean;
}

/** A body that is being compressed, or waits for it. */
interface Job {
  /** Null once the compression has started: it then runs to its end. */
  askers: Asker[] | null;
  result: Promise<Buffer | null> | null;
}

/**
 * Compressed bodies, cached by the digest of the original. Equal bodies are compressed once: requests that come
 * meanwhile wait for the same compression.
 */
export class Codings {
  readonly #kept: LRUCache<string, Buffer> | null;
  readonly #pool: CodecPool;
  #hits = 0;
  #misses = 0;
  readonly #underWay = new Map<string, Job>();
  readonly #accepted = new LRUCache<string, { coding: Coding | null }>({ max: rememberedHeaders });

  /** `bytes` bounds the cache; 0 turns it off. */
  constructor(bytes: number, pool = codecs) {
    const sizeCalculation = (body: Buffer, key: string) => body.length + key.length * 2 + overheadBytes;
    this.#kept = bytes > 0 ? new LRUCache({ maxSize: bytes, sizeCalculation }) : null;
    this.#pool = pool;
  }

  /** The coding in which a client that sends this `Accept-Encoding` gets a body of so many bytes; null for as it is. */
  choose(accepted: string | undefined, bytes: number): Coding | null {
    if (accepted === undefined || bytes < threshold || accepted.length > longestReadHeader) return null;
    let known = this.#accepted.get(accepted);
    if (!known) {
      known = { coding: preferred(accepted) };
      if (accepted.length <= longestRememberedHeader) this.#accepted.set(accepted, known);
    }
    return known.coding;
  }

  /**
   * Returns the body in a coding, at once if it is cached. Null, at once or later, means that the body is to be sent
   * uncompressed: too many others wait, or all who asked for it have gone. `digest` is equal for equal bodies only.
   */
  encode(coding: Coding, digest: string, body: Buffer, asker: Asker): Buffer | null | Promise<Buffer | null> {
    const key = `${coding} ${digest}`;
    const kept = this.#kept?.get(key);
    if (kept) {
      this.#hits++;
      return kept;
    }
    this.#misses++;
    const underWay = this.#underWay.get(key);
    if (!underWay) return this.#enqueue(key, codings.get(coding)!, body, asker);
    underWay.askers?.push(asker);
    return underWay.result;
  }

  get figures(): CacheStatistics {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#kept?.calculatedSize ?? 0 };
  }

  #enqueue(key: string, compress: Compress, body: Buffer, asker: Asker): Promise<Buffer | null> | null {
    const job: Job = { askers: [asker], result: null };
    const isWanted = () => job.askers!.some(({ destroyed }) => !destroyed);
    const queued = this.#pool.run(body.length, isWanted, () => {
      job.askers = null;
      return this.#compress(key, compress, body);
    });
    if (!queued) return null;
    job.result = queued.finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, job);
    return job.result;
  }

  async #compress(key: string, compress: Compress, body: Buffer): Promise<Buffer> {
    const encoded = await compress(body);
    if (!this.#kept) return encoded;
    // what zlib gives is the beginning of a larger buffer, which would be kept whole
    const own = Buffer.allocUnsafeSlow(encoded.length);
    encoded.copy(own);
    this.#kept.set(key, own);
    return own;
  }
}

/** Null for "as it is", which is sent even to one who refuses it where nothing else is left. */
function preferred(accepted: string): Coding | null {
  const negotiator: Negotiating = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const [best] = negotiator.encodings([...names, 'identity'], { preferred: names });
  return codings.has(best as Coding) ? (best as Coding) : null;
}

/** The published types do not know of the options. */
interface Negotiating {
  encodings(available: readonly string[], options?: { preferred: readonly string[] }): string[];
}
