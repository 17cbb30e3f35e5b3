/** Answers URLs by the custom routes of an extension. */
import type { Caller } from '../access/authenticate.ts';
import { RequestError } from '../base/errors.ts';
import { find, findOne } from '../engine/library-reads.ts';
import { type Serving, splitQuery } from '../engine/serving.ts';
import type { Query } from '../query/library.ts';
import { errorReply, type Reply } from '../reply/reply.ts';
import { answerCustom } from './custom-reply.ts';
import type { CustomMatch, CustomRoutes } from './custom-routes.ts';

export class CustomAnswers {
  readonly #routes: CustomRoutes;
  readonly #prefix: string;

  constructor(routes: CustomRoutes, prefix: string) {
    this.#routes = routes;
    this.#prefix = prefix;
  }

  /** Returns the paths of the routes with the prefix. */
  get paths(): string[] {
    return this.#routes.paths.map((path) => this.#prefix + path);
  }

  /** Returns the custom route for a path and query string below the prefix, or null. */
  find(url: string): CustomMatch | null {
    return this.#routes.find(`/${splitQuery(url)[0]}`);
  }

  /** Returns the reply of a route, also for a RequestError. Rejects with an ExtensionError if the handler fails. */
  async answer(url: string, match: CustomMatch, caller: Caller, serving: Serving): Promise<Reply> {
    const route = this.#prefix + match.route.path;
    try {
      const input = {
        role: caller.role,
        query: serving.catalog.requests.parse(splitQuery(url)[1]),
        find: (name: string, query: Query = {}) => find(serving, name, query, caller),
        findOne: (name: string, documentId: string, query: Query = {}) =>
          findOne(serving, name, documentId, query, caller),
      };
      const { status, headers, body } = await answerCustom(this.#routes.file, match, caller.permissions, input);
      return { status, headers: { ...headers, 'X-Lectern-Snapshot': serving.store.version }, body, route };
    } catch (error) {
      if (error instanceof RequestError) return errorReply(error, route);
      throw error;
    }
  }
}
