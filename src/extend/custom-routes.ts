/** The routes of an extension, and which of them a path belongs to. */
import { type MatchFunction, match, type ParamData, parse } from 'path-to-regexp';
import { preview } from '../base/problems.ts';
import { ConfigError } from '../config/config.ts';
import type { CustomRoute } from './extension.ts';

/** A path that a custom route answers. */
export interface CustomMatch {
  readonly route: CustomRoute;
  readonly params: ParamData;
}

interface Pattern {
  readonly route: CustomRoute;
  /** What every matching path begins with, in lower case. */
  readonly literal: string;
  readonly match: MatchFunction<ParamData>;
}

export class CustomRoutes {
  /** The module that they come from. */
  readonly file: string;
  readonly #patterns: readonly Pattern[];

  /** Throws a ConfigError for a path that is no pattern, and for one that is given twice. */
  constructor(file: string, routes: readonly CustomRoute[]) {
    this.file = file;
    const seen = new Map<string, number>();
    this.#patterns = routes.map((route, index) => {
      const place = `${file}: customRoutes[${index}].path`;
      const first = seen.get(route.path);
      if (first !== undefined) throw new ConfigError(`${place}: must differ from that of customRoutes[${first}]`);
      seen.set(route.path, index);
      try {
        const [token] = parse(route.path).tokens;
        const literal = token?.type === 'text' ? encodeURI(token.value).toLowerCase() : '';
        return { route, literal, match: match(route.path, { encodePath: encodeURI }) };
      } catch (error) {
        const reason = (error as Error).message.replace(/; visit .*$/, '');
        throw new ConfigError(`${place}: must be a path pattern of Express 5 (${reason}), is ${preview(route.path)}`);
      }
    });
  }

  get paths(): string[] {
    return this.#patterns.map(({ route }) => route.path);
  }

  /** The actions that routes ask for. */
  get actions(): string[] {
    return this.#patterns.flatMap(({ route }) => route.action ?? []);
  }

  /** The first route that a path below the prefix belongs to. Case does not count, nor a slash at the end. */
  find(path: string): CustomMatch | null {
    for (const { route, literal, match } of this.#patterns) {
      // a path without the pattern's trailing slash still begins with the rest of it
      if (!path.slice(0, literal.length).toLowerCase().startsWith(literal.replace(/\/$/, ''))) continue;
      const found = matched(match, path);
      if (found) return { route, params: found.params };
    }
    return null;
  }
}

function matched(match: MatchFunction<ParamData>, path: string): ReturnType<typeof match> {
  try {
    return match(path);
  } catch (error) {
    // a path that cannot be decoded leads nowhere
    if (error instanceof URIError) return false;
    throw error;
  }
}
