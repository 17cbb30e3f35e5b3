/** Reads the additions of each route from the setting `routes` and the hooks of an extension, and calls the hooks. */
import { pathText } from '../../core/describe-problem.ts';
import type { Dialect } from '../../core/dialect.ts';
import { ExtensionError, RequestError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { ConfigError, type Settings } from '../../model/settings/config.ts';
import { problemAt, type SettingProblem, type SourceOf, withSource } from '../../model/settings/setting-problems.ts';
import { queryPolicies } from '../../query/dialects.ts';
import { hasPlaceholder } from '../../query/placeholders.ts';
import { parseQuery, type RawQuery } from '../../query/syntax/parse.ts';
import { type Additions, additionKey, addTo, type QueryAddition } from '../routes/routes.ts';
import { toRequestError } from './custom-reply.ts';
import type { QueryHook } from './extension.ts';
import type { LoadedExtension } from './load.ts';
import { describeValue, plainDataProblem } from './values.ts';

/** The parts of an addition in the setting `routes`. */
export type AdditionPart = 'default' | 'set';

/**
 * Returns the additions by route. Throws a ConfigError for unknown parameters and malformed query strings. Names of the
 * content are not checked here, but by `checkAdditions`.
 */
export function readAdditions(
  settings: Settings,
  sourceOf: SourceOf,
  dialect: Dialect,
  extension: LoadedExtension | null,
): Additions {
  const additions = new Map<string, QueryAddition>();
  const problems: SettingProblem[] = [];
  for (const [uid, actions] of Object.entries(settings.routes)) {
    for (const [action, parts] of Object.entries(actions)) {
      const read = (part: AdditionPart) =>
        readParameters(parts[part], settingPath(uid, action, part), settings, dialect, problems);
      const defaults = read('default');
      for (const [name, value] of Object.entries(defaults)) {
        if (value !== null) continue;
        problems.push(problemAt(settingPath(uid, action, 'default'), `.${name}: must have a value, is null`));
      }
      additions.set(additionKey(uid, action), { defaults, set: read('set') });
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => withSource(problem, sourceOf)).join('\n'));
  for (const [uid, actions] of Object.entries(extension?.routes ?? {})) {
    for (const [action, { query }] of Object.entries(actions)) {
      const key = additionKey(uid, action);
      const { defaults, set } = additions.get(key) ?? { defaults: {}, set: {} };
      additions.set(key, { defaults, set, hook: checkedHook(extension!.file, hookPath(uid, action), query) });
    }
  }
  return additions;
}

/** Returns the path of an addition or one of its parts in the settings. */
export function settingPath(uid: string, action: string, part?: AdditionPart): readonly string[] {
  return ['routes', uid, action, ...(part === undefined ? [] : [part])];
}

/** Returns the path of a hook in the extension. */
export function hookPath(uid: string, action: string): string {
  return pathText([...settingPath(uid, action), 'query']);
}

/** Returns the frozen parameters of one part. Appends to `problems`. */
function readParameters(
  given: string | Record<string, unknown> | undefined,
  path: readonly string[],
  { arrayLimit, budgets, features }: Settings,
  dialect: Dialect,
  problems: SettingProblem[],
): RawQuery {
  if (given === undefined) return {};
  let query: RawQuery;
  try {
    const limits = { ...budgets, arrayLimit };
    query = typeof given === 'string' ? parseQuery(given, limits, queryPolicies(dialect).errors) : given;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    problems.push(problemAt(path, `: ${error.message}, is ${preview(given)}`));
    return {};
  }
  const known = queryPolicies(dialect, false, features).request.parameters;
  for (const [name, value] of Object.entries(query)) {
    if (!known.has(name)) problems.push(problemAt(path, `.${name}: unknown parameter${didYouMean(name, known)}`));
    else if (hasPlaceholder(value)) {
      problems.push(problemAt(path, `.${name}: must not contain U+FFFF, is ${preview(value)}`));
    }
  }
  return deepFreeze(structuredClone(query)) as RawQuery;
}

function deepFreeze(value: unknown): unknown {
  if (isPlainObject(value) || Array.isArray(value)) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

/** A hook returned a value that is not a query. */
class HookResultError extends ExtensionError {}

/**
 * Wraps a hook. The result throws a RequestError if the hook rejects the request, and an ExtensionError if it fails or
 * does not return a query. `path` is the path of the hook in the extension.
 */
function checkedHook(file: string, path: string, hook: QueryHook): NonNullable<QueryAddition['hook']> {
  return (query, role) => {
    let result: unknown;
    try {
      result = hook(structuredClone(query), { role });
    } catch (error) {
      throw toRequestError(error) ?? new ExtensionError(`${file}: ${path} threw ${describeValue(error)}`, error);
    }
    const problem = plainDataProblem(result);
    if (problem !== null) {
      throw new HookResultError(`${file}: ${path} must return an object of query parameters; ${problem}`);
    }
    return withoutUndefined(result as RawQuery);
  };
}

/** Removes undefined parameters, which count as absent. */
function withoutUndefined(query: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

/** The outcome of calling a hook with an empty query. A hook may reject this query and accept others. */
export type HookTrial =
  | { readonly kind: 'query'; readonly query: RawQuery }
  | { readonly kind: 'rejected' }
  /** `wrong`: it did not return a query. `failed`: it threw. */
  | { readonly kind: 'wrong' | 'failed'; readonly message: string };

/** Calls the hook of an addition as for a URL without a query string. */
export function tryHook(addition: QueryAddition): HookTrial {
  try {
    return { kind: 'query', query: addTo({}, addition, 'public') };
  } catch (error) {
    if (error instanceof RequestError) return { kind: 'rejected' };
    if (!(error instanceof ExtensionError)) throw error;
    const kind = error instanceof HookResultError ? 'wrong' : 'failed';
    return { kind, message: `${error.message}, called with a query without parameters` };
  }
}
