/** Answers URLs by the custom routes of an extension. */
import type { Caller } from '../access/authenticate.ts';
import { RequestError } from '../base/errors.ts';
import { find, findOne } from '../engine/library-reads.ts';
import type { Serving } from '../engine/serving.ts';
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

  /** The paths of the routes, with the prefix. */
  get paths(): string[] {
    return this.#routes.paths.map((path) => this.#prefix + path);
  }

  /** The custom route of a path below the prefix, with its query string; null if there is none. */
  find(target: string): CustomMatch | null {
    return this.#routes.find(`/${split(target)[0]}`);
  }

  /** The reply of a route. Returns an error as a reply. Rejects if the handler fails. */
  async answer(target: string, match: CustomMatch, caller: Caller, serving: Serving): Promise<Reply> {
    const route = this.#prefix + match.route.path;
    try {
      const input = {
        role: caller.role,
        query: serving.catalog.requests.parse(split(target)[1]),
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

/** Path and query string. */
function split(target: string): [path: string, text: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
