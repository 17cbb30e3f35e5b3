/** The route of `strapi-plugin-lectern`, which answers signed requests with signed lines of JSON. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { SnapshotError } from '../../../core/errors.ts';
import type { PostPosition } from '../refresh/post-order.ts';
import type { StrapiClient } from '../strapi-client.ts';
import { StrapiError } from '../strapi-error.ts';

const path = 'lectern/rows';
/** Of the answers. */
const version = 1;

/** What is asked for. Without a type: the outline. */
export interface PluginQuery {
  readonly type?: string;
  /** Which of the linked rows are shown, where their type has drafts. Undefined: all. */
  readonly status?: 'published' | 'draft';
  readonly ids?: readonly number[];
  readonly documentIds?: readonly string[];
  /** Rows with greater ids, `limit` at most. */
  readonly after?: number;
  readonly limit?: number;
  /** Whether rows have their ids and times only. */
  readonly isShort?: boolean;
}

const head = z.object({
  version: z.literal(version),
  epoch: z.string().min(1).max(100),
  /** -1: before the first post. */
  sequence: z.int().min(-1),
});

export interface PluginAnswer {
  /** The last post that the process had begun before it read the lines. */
  readonly position: PostPosition;
  readonly lines: readonly unknown[];
}

/** The plugin is missing, or answers otherwise than it should. The message is a sentence that names its address. */
export class PluginError extends SnapshotError {
  constructor(sentence: string) {
    super([sentence]);
    this.message = sentence;
  }
}

export class PluginRoute {
  readonly client: StrapiClient;
  readonly #secret: string;

  constructor(client: StrapiClient, secret: string) {
    this.client = client;
    this.#secret = secret;
  }

  get address(): string {
    return this.client.urlOf(path);
  }

  /** Rejects with a PluginError, or with a StrapiError that is away if the Strapi may answer later. */
  async ask(query: PluginQuery): Promise<PluginAnswer> {
    const text = JSON.stringify({ time: Date.now(), ...query });
    const signature = this.#sign(text);
    const headers = { 'X-Lectern-Signature': signature };
    const answer = await this.client.getText(path, { query: text }, headers).catch((error: unknown) => {
      throw this.#asError(error);
    });
    return this.#read(signature, answer);
  }

  /** Returns an error that names the address of the route. */
  error(problem: string): PluginError {
    return new PluginError(`${this.address}: ${problem}`);
  }

  #read(signature: string, answer: string): PluginAnswer {
    const lines = answer.split('\n');
    const [given, rest] = lines.splice(-2);
    const signed = answer.slice(0, answer.length - given!.length - 1);
    if (rest !== '' || given !== this.#sign(`${signature}\n${signed}`)) {
      throw this.error('the answer of strapi-plugin-lectern is cut, or its signature is not by follow.secret.');
    }
    const [first, ...others] = lines.map((line) => this.#parse(line));
    const { data } = head.safeParse(first);
    if (data) return { position: { epoch: data.epoch, sequence: data.sequence }, lines: others };
    throw this.error(
      `strapi-plugin-lectern is of another version than Lectern: the answer has the version ${versionIn(first)}, and Lectern reads ${version}.`,
    );
  }

  #parse(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch {
      throw this.error('the answer of strapi-plugin-lectern has a line that is no JSON.');
    }
  }

  #sign(text: string): string {
    return `sha256=${createHmac('sha256', this.#secret).update(text).digest('hex')}`;
  }

  #asError(error: unknown): unknown {
    if (!(error instanceof StrapiError)) return error;
    const { status, isFromStrapi, isAway } = error;
    // without the query, which differs each time
    const message = error.message.replace(/\?query=\S*/, '');
    if (isAway) return new StrapiError(message, status, isFromStrapi, isAway);
    if (status === 404)
      return this.error('strapi-plugin-lectern has no such route (404). Is it installed, and has it a url?');
    if (status === 401) {
      const [, sent = ''] = /\(401: (.*?)\)/.exec(message) ?? [];
      return this.error(`strapi-plugin-lectern rejects the request (401: ${sent}).`);
    }
    return this.error(message);
  }
}

function versionIn(line: unknown): string {
  return JSON.stringify((line as { version?: unknown } | null)?.version ?? null);
}
