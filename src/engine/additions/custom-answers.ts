/** Answers URLs by the custom routes of an extension. */

import type { Caller } from '../../model/access/caller.ts';
import type { Query } from '../../query/library.ts';
import { errorReply, type Reply } from '../../query/reply/reply.ts';
import { find, findOne } from '../library-reads.ts';
import { splitQuery } from '../routes/routes.ts';
import type { StoreEngine } from '../store-engine.ts';
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
  find(path: string): CustomMatch | null {
    return this.#routes.find(`/${splitQuery(path)[0]}`);
  }

  /** Returns the reply of a route, also for a RequestError. Rejects with an ExtensionError if the handler fails. */
  async answer(path: string, match: CustomMatch, caller: Caller, engine: StoreEngine): Promise<Reply> {
    const route = this.#prefix + match.route.path;
    try {
      const input = {
        role: caller.role,
        query: engine.catalog.binder.parse(splitQuery(path)[1]),
        find: (name: string, query: Query = {}) => find(engine, name, query, caller),
        findOne: (name: string, documentId: string, query: Query = {}) =>
          findOne(engine, name, documentId, query, caller),
      };
      const { status, headers, body } = await answerCustom(this.#routes.file, match, caller.permissions, input);
      return { status, headers: { ...headers, ...engine.headers.own }, body, route };
    } catch (error) {
      return errorReply(error, route);
    }
  }
}
