/** The custom routes of an extension: which one a path matches, and the reply that it gives. */
import { type MatchFunction, match, type ParamData } from 'path-to-regexp';
import { preview } from '../../core/problems.ts';
import type { Caller } from '../../model/access/permissions.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { Query } from '../../query/library.ts';
import { errorReply, type Reply } from '../../query/reply/reply.ts';
import { find, findOne } from '../library-reads.ts';
import { splitQuery } from '../routes/routes.ts';
import type { StoreEngine } from '../store-engine.ts';
import { answerCustom, type CustomMatch } from './custom-reply.ts';
import type { CustomRoute } from './extension.ts';

interface Pattern {
  readonly route: CustomRoute;
  readonly match: MatchFunction<ParamData>;
}

export class CustomRoutes {
  /** The module that defines them. */
  readonly file: string;
  readonly #patterns: readonly Pattern[];

  /** Throws a ConfigError for invalid and duplicate patterns. */
  constructor(file: string, routes: readonly CustomRoute[]) {
    this.file = file;
    const seen = new Map<string, number>();
    this.#patterns = routes.map((route, index) => {
      const location = `${file}: customRoutes[${index}].path`;
      const first = seen.get(route.path);
      if (first !== undefined) throw new ConfigError(`${location}: must differ from customRoutes[${first}].path`);
      seen.set(route.path, index);
      try {
        return { route, match: match(route.path, { encodePath: encodeURI }) };
      } catch (error) {
        const reason = (error as Error).message.replace(/; visit .*$/, '');
        const actual = preview(route.path);
        throw new ConfigError(`${location}: must be a path pattern of Express 5 (${reason}), is ${actual}`);
      }
    });
  }

  get paths(): string[] {
    return this.#patterns.map(({ route }) => route.path);
  }

  /** The actions that the routes require. */
  get actions(): string[] {
    return this.#patterns.flatMap(({ route }) => route.action ?? []);
  }

  /** Returns the first route that matches a path below the prefix. Ignores case and a trailing slash. */
  find(path: string): CustomMatch | null {
    for (const { route, match } of this.#patterns) {
      const result = matchPath(match, path);
      if (result) return { route, params: result.params };
    }
    return null;
  }
}

function matchPath(match: MatchFunction<ParamData>, path: string): ReturnType<typeof match> {
  try {
    return match(path);
  } catch (error) {
    // a path with invalid escapes matches no route
    if (error instanceof URIError) return false;
    throw error;
  }
}

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
