/** Answers URLs by the custom routes of an extension. */
import type { Caller } from '../access/authenticate.ts';
import { RequestError } from '../base/errors.ts';
import type { Found, Query } from '../query/library.ts';
import type { RawQuery } from '../query/syntax/parse.ts';
import { errorReply, type Reply } from '../reply/reply.ts';
import { answerCustom } from './custom-reply.ts';
import type { CustomMatch, CustomRoutes } from './custom-routes.ts';

/** What handlers read from. */
export interface CustomReading {
  /** Names the content. */
  readonly version: string;
  /** Parses a query string. Throws a RequestError. */
  parse(text: string): RawQuery;
  find(name: string, query: Query, caller: Caller): Found;
  findOne(name: string, documentId: string, query: Query, caller: Caller): Found;
}

export class CustomAnswers {
  readonly #routes: CustomRoutes;
  readonly #prefix: string;
  readonly #reading: CustomReading;

  constructor(routes: CustomRoutes, prefix: string, reading: CustomReading) {
    this.#routes = routes;
    this.#prefix = prefix;
    this.#reading = reading;
  }

  /** The paths of the routes, with the prefix. */
  get paths(): string[] {
    return this.#routes.paths.map((path) => this.#prefix + path);
  }

  /** The custom route of a URL, or null. */
  find(url: string): CustomMatch | null {
    const [path] = split(url);
    return path.startsWith(`${this.#prefix}/`) ? this.#routes.find(path.slice(this.#prefix.length)) : null;
  }

  /** The reply of a route to a URL. A refusal is a reply too. Rejects where the handler fails. */
  async answer(url: string, match: CustomMatch, caller: Caller): Promise<Reply> {
    const reading = this.#reading;
    const route = this.#prefix + match.route.path;
    try {
      const input = {
        role: caller.role,
        query: reading.parse(split(url)[1]),
        find: (name: string, query: Query = {}) => reading.find(name, query, caller),
        findOne: (name: string, documentId: string, query: Query = {}) =>
          reading.findOne(name, documentId, query, caller),
      };
      const { status, headers, body } = await answerCustom(this.#routes.file, match, caller.permissions, input);
      return { status, headers: { ...headers, 'X-Lectern-Snapshot': reading.version }, body, route };
    } catch (error) {
      if (error instanceof RequestError) return errorReply(error, route);
      throw error;
    }
  }
}

/** Path and query string. */
function split(url: string): [path: string, text: string] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
