/** Checks the additions of routes against the content when it is opened. */
import { RequestError } from '../../core/errors.ts';
import type { Tolerance } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { ConfigError, type Settings } from '../../model/settings/config.ts';
import { problemAt, type SettingProblem, type SourceOf, withSource } from '../../model/settings/setting-problems.ts';
import type { RawQuery } from '../../query/syntax/parse.ts';
import { type Additions, additionKey, type ConfigurableRoute, type QueryAddition } from '../routes/routes.ts';
import { type AdditionPart, hookPath, settingPath, tryHook } from './additions.ts';
import type { LoadedExtension } from './load.ts';

/** The part of a catalog that checks queries without running them. */
export interface QueryChecker {
  readonly routes: { configurable(): ConfigurableRoute[] };
  /** Throws a RequestError for a query that is rejected for every caller. */
  check(route: ConfigurableRoute, query: RawQuery): void;
}

/** The additions with what they were read from. */
export interface CheckedAdditions {
  readonly settings: Settings;
  readonly sourceOf: SourceOf;
  readonly extension: LoadedExtension | null;
  readonly additions: Additions;
  readonly tolerance: Tolerance;
}

/**
 * Throws a ConfigError for routes that do not exist, for hooks that return no query, and in a strict load for additions
 * that are rejected for every caller. In a tolerant load, returns those as warnings.
 */
export function checkAdditions(
  { settings, sourceOf, extension, additions, tolerance }: CheckedAdditions,
  checker: QueryChecker,
): string[] {
  const configurable = checker.routes.configurable();
  const errors = [
    ...unknownRoutes(settings.routes, configurable).map((problem) => withSource(problem, sourceOf)),
    ...unknownRoutes(extension?.routes ?? {}, configurable).map(({ message }) => `${extension?.file}: ${message}`),
  ];
  const rejected: string[] = [];
  for (const route of configurable) {
    const addition = additions.get(additionKey(route.uid, route.action));
    if (!addition) continue;
    const check = (query: RawQuery) => rejectionOf(() => checker.check(route, query));
    const rejections = rejectedParameters(route, addition, check);
    rejected.push(...rejections.map((problem) => withSource(problem, sourceOf)));
    // a hook gets the parameters of the settings
    if (!addition.hook || rejections.length > 0) continue;
    const trial = tryHook(addition);
    if (trial.kind === 'wrong') errors.push(trial.message);
    if (trial.kind === 'failed') rejected.push(trial.message);
    const reason = trial.kind === 'query' ? check(trial.query) : null;
    const location = `${extension?.file}: ${hookPath(route.uid, route.action)}`;
    if (reason !== null) rejected.push(`${location}, called with a query without parameters: ${reason}`);
  }
  if (tolerance === 'strict') errors.push(...rejected);
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return rejected;
}

/** Checks each parameter of an addition alone, to name it, and then all of them together. */
function rejectedParameters(
  route: ConfigurableRoute,
  { defaults, set }: QueryAddition,
  check: (query: RawQuery) => string | null,
): SettingProblem[] {
  const { uid, action } = route;
  const problem = (path: readonly string[], parameter: string, query: RawQuery) => {
    const reason = check(query);
    return reason === null ? [] : [problemAt(path, `${parameter}: ${reason}`)];
  };
  const parts: [AdditionPart, RawQuery][] = [
    ['default', defaults],
    ['set', set],
  ];
  const single = parts.flatMap(([part, parameters]) =>
    Object.entries(withoutNulls(parameters)).flatMap(([name, value]) =>
      problem(settingPath(uid, action, part), `.${name}`, { [name]: value }),
    ),
  );
  return single.length > 0 ? single : problem(settingPath(uid, action), '', withoutNulls({ ...defaults, ...set }));
}

function withoutNulls(parameters: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}

/** Returns the message of a RequestError that `check` throws, or null. */
function rejectionOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
}

/** Returns a problem for each type and action that does not exist or takes no query. */
function unknownRoutes(
  routes: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  configurable: readonly ConfigurableRoute[],
): SettingProblem[] {
  const actionsByUid = new Map<string, string[]>();
  for (const { uid, action } of configurable) actionsByUid.set(uid, [...(actionsByUid.get(uid) ?? []), action]);
  return Object.entries(routes).flatMap(([uid, actions]) => {
    const known = actionsByUid.get(uid);
    if (!known) {
      const suggestion = didYouMean(uid, actionsByUid.keys());
      return [problemAt(['routes', uid], `: no content type with this uid takes queries${suggestion}`)];
    }
    return Object.keys(actions)
      .filter((action) => !known.includes(action))
      .map((action) => {
        const text = `: no such action; it has ${known.join(', ')}${didYouMean(action, known)}`;
        return problemAt(settingPath(uid, action), text);
      });
  });
}
