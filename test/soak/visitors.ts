import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Random } from '../../bench/random.ts';
import type { Content } from '../../src/index.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import type { Findings } from './findings.ts';
import type { Asked, Target } from './targets.ts';

const traffic = 'visitors';
const visitors = 4;
/** Maximum time between two requests of a visitor, in milliseconds. */
const pauseMilliseconds = 20;
/** Number of popular pages, which get half of the requests. */
const popularPages = 40;
/** Maximum idle time of a connection before reuse, because the server may close it. */
const idleMilliseconds = 2000;
/** Number of ETags that visitors keep. */
const mostTags = 5000;

/**
 * Ordinary visitors: they request popular and unique pages, with and without codings,
 * and revalidate. Every reply is compared with that of the reference.
 */
export class Visitors {
  readonly #port: number;
  readonly #target: Target;
  readonly #reference: Content;
  readonly #findings: Findings;
  readonly #seed: number;
  /** ETags by URL, caller and coding. */
  readonly #tags = new Map<string, string>();
  readonly #popular: readonly Asked[];
  #isOver = false;
  readonly #done: Promise<unknown>;
  compared = 0;

  constructor(port: number, target: Target, reference: Content, findings: Findings, seed: number) {
    this.#port = port;
    this.#target = target;
    this.#reference = reference;
    this.#findings = findings;
    this.#seed = seed;
    const random = new Random(seed);
    this.#popular = Array.from({ length: popularPages }, () => random.pick(target.ordinary));
    this.#done = Promise.all(Array.from({ length: visitors }, (_, index) => this.#visit(seed + index)));
  }

  /** Resolves when requests under way have been compared. */
  end(): Promise<unknown> {
    this.#isOver = true;
    return this.#done;
  }

  async #visit(seed: number): Promise<void> {
    const random = new Random(seed);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let answered = performance.now();
    while (!this.#isOver) {
      const idle = performance.now() - answered;
      const asked = this.#next(random);
      try {
        await this.#ask(asked, random, agent);
      } catch (error) {
        this.#findings.count(traffic, 'no reply');
        if (idle < idleMilliseconds) this.#fail(asked, `no reply: ${(error as Error).message}`);
      }
      answered = performance.now();
      await setTimeout(random.integer(0, pauseMilliseconds));
    }
    agent.destroy();
  }

  #next(random: Random): Asked {
    if (random.next() < 0.5) return random.pick(this.#popular);
    const { url, authorization } = random.pick(this.#target.ordinary);
    if (random.next() < 0.2) return { url, authorization };
    const mark = url.includes('?') ? '&' : '?';
    const fresh = random.pick([
      `filters[id][$ne]=${random.integer(0, 1e9)}`,
      `pagination[pageSize]=${random.integer(1, 90)}`,
    ]);
    return { url: `${url}${mark}${fresh}`, authorization };
  }

  async #ask(asked: Asked, random: Random, agent: Agent): Promise<void> {
    const { url, authorization } = asked;
    const coding = random.pick(['identity', 'gzip', 'br', 'gzip, br']);
    const key = `${coding} ${authorization ?? ''} ${url}`;
    const tag = this.#tags.get(key);
    const headers: Record<string, string> = { 'Accept-Encoding': coding };
    if (authorization) headers.Authorization = authorization;
    if (tag !== undefined && random.next() < 0.5) headers['If-None-Match'] = tag;
    const path = encodeURI(url).replaceAll('%25', '%');
    const answer = await askServer(this.#port, path, { headers, agent });
    const retryAfter = answer.headers['retry-after'];
    this.#findings.reply(traffic, answer.status, retryAfter ? `Retry-After: ${retryAfter}` : '', this.#named(asked));
    // a 503 with Retry-After is permitted
    if (answer.status === 503) return;
    const expected = await this.#reference.answer(path, { authorization });
    this.compared++;
    if (answer.status === 304) return this.#compareTag(asked, headers['If-None-Match'], answer);
    if (answer.status !== expected.status) {
      return this.#fail(asked, `status ${answer.status} in place of ${expected.status}`);
    }
    if (!withoutHint(decoded(answer)).equals(expected.body)) return this.#fail(asked, `a wrong body (${coding})`);
    const sentTag = answer.headers.etag;
    if (answer.status !== 200 || sentTag === undefined || this.#tags.size >= mostTags) return;
    this.#tags.set(key, sentTag);
  }

  #compareTag(asked: Asked, sent: string | undefined, { headers, body }: HttpAnswer): void {
    if (sent === undefined) this.#fail(asked, 'a 304 that was not asked for');
    else if (headers.etag !== sent) this.#fail(asked, `a 304 with the ETag ${headers.etag} in place of ${sent}`);
    else if (body.length > 0) this.#fail(asked, 'a 304 with a body');
  }

  #fail(asked: Asked, what: string): void {
    this.#findings.fail('ordinary reply', `${this.#named(asked)}: ${what}`);
  }

  #named({ url, authorization }: Asked): string {
    return `${this.#target.name}, visitors of seed ${this.#seed}: ${url} (${authorization?.slice(0, 20) ?? 'nobody'})`;
  }
}

function decoded({ headers, body }: HttpAnswer): Buffer {
  const coding = headers['content-encoding'];
  if (coding === 'br') return brotliDecompressSync(body);
  return coding === 'gzip' ? gunzipSync(body) : body;
}

/** A server adds to a 404 of an unknown route where its routes are listed, which content without a page cannot know. */
function withoutHint(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1').replace(': the page at / lists what is served', ''), 'latin1');
}
