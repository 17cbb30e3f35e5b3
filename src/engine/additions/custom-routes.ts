/** The custom routes of an extension, matched by path. */
import { type MatchFunction, match, type ParamData } from 'path-to-regexp';
import { preview } from '../../core/problems.ts';
import { ConfigError } from '../../model/settings/config.ts';
import type { CustomRoute } from './extension.ts';

/** A custom route with the parameters of a matching path. */
export interface CustomMatch {
  readonly route: CustomRoute;
  readonly params: ParamData;
}

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
