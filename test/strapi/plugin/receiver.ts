/** Stands in for Lectern: takes the posts of the plugin. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PluginPost, pluginPostOf } from '../../../src/content/registry/plugin-post.ts';

/** Milliseconds without a post after which an edit has no more of them. */
const quiet = 500;

/** The documents that posts name by type. Null: any of the type. */
export type Changes = Readonly<Record<string, readonly string[] | null>>;

export class Receiver {
  /** The bodies of all posts, in order, with repeated ones. */
  readonly bodies: string[] = [];
  /** What is wrong with posts. */
  readonly mistakes: string[] = [];
  /** What Lectern says of its sources. */
  readonly sources = [{ content: 'main', readAt: '2026-11-28T12:00:00.000Z' }];
  /** The status of replies. */
  status = 204;
  readonly #secret: string;
  #lastAt = Date.now();
  /** The number of posts that `changes` has returned. */
  #seen = 0;

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Listens on a port of the loopback interface. */
  listen(port: number): Promise<void> {
    const server = createServer(async (request, response) => {
      if (request.url === '/_ready') return void response.end(JSON.stringify({ ready: true, sources: this.sources }));
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces);
      const expected = `sha256=${createHmac('sha256', this.#secret).update(body).digest('hex')}`;
      if (request.headers['x-lectern-signature'] !== expected) this.mistakes.push(`wrong signature of ${body}`);
      if (!pluginPostOf(JSON.parse(body.toString()))) this.mistakes.push(`not a post: ${body}`);
      this.bodies.push(body.toString());
      this.#lastAt = Date.now();
      response.writeHead(this.status).end();
    });
    return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  }

  get posts(): PluginPost[] {
    return this.bodies.map((body) => JSON.parse(body) as PluginPost);
  }

  /** Waits for the end of posts. Returns what those name that have come since the last call. */
  async changes(): Promise<Changes> {
    this.#lastAt = Date.now();
    while (Date.now() - this.#lastAt < quiet) await sleep(50);
    const found: Record<string, string[] | null> = {};
    for (const { changes } of this.posts.slice(this.#seen)) {
      for (const [uid, ids] of Object.entries(changes)) {
        const before = found[uid];
        found[uid] = ids && before !== null ? [...new Set([...(before ?? []), ...ids])] : null;
      }
    }
    this.#seen = this.bodies.length;
    return found;
  }
}
