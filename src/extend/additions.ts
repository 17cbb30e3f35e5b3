/** Makes the additions of each route from the setting `routes` and from the hooks of an extension. */

import type { Dialect } from '../base/dialect.ts';
import { RequestError } from '../base/errors.ts';
import { preview, type Tolerance } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import { ConfigError, type Settings } from '../config/config.ts';
import type { ConfigurableRoute } from '../engine/routes.ts';
import { type Additions, additionKey, type QueryAddition } from '../query/addition.ts';
import { queryPolicies } from '../query/dialects.ts';
import { hasPlaceholder } from '../query/placeholders.ts';
import { parseQuery, type RawQuery } from '../query/syntax/parse.ts';
import { isPlainObject } from '../query/syntax/raw-value.ts';

import { checkedHook, tryHook } from './hook.ts';
import type { LoadedExtension } from './load.ts';

type Part = 'default' | 'set';

/**
 * Returns the additions by route. Throws a ConfigError for a parameter that does not exist, and for text that is no
 * query string. Whether types, actions and attributes exist is for `additionProblems`, which knows the content.
 */
export function readAdditions(settings: Settings, dialect: Dialect, extension: LoadedExtension | null): Additions {
  const additions = new Map<string, QueryAddition>();
  const problems: string[] = [];
  for (const [uid, actions] of Object.entries(settings.routes)) {
    for (const [action, given] of Object.entries(actions)) {
      const read = (part: Part) => readParameters(given[part], placeOf(uid, action, part), settings, dialect, problems);
      const defaults = read('default');
      for (const [name, value] of Object.entries(defaults)) {
        if (value !== null) continue;
        problems.push(`${placeOf(uid, action, 'default')}.${name}: must have a value, is null`);
      }
      additions.set(additionKey(uid, action), { defaults, set: read('set') });
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `options: ${problem}`).join('\n'));
  for (const [uid, actions] of Object.entries(extension?.routes ?? {})) {
    for (const [action, { query }] of Object.entries(actions)) {
      const key = additionKey(uid, action);
      const { defaults, set } = additions.get(key) ?? { defaults: {}, set: {} };
      additions.set(key, { defaults, set, hook: checkedHook(extension!.file, hookPlace(uid, action), query) });
    }
  }
  return additions;
}

/** What queries are bound for. */
export interface Binder {
  readonly routes: { configurable(): ConfigurableRoute[] };
  /** Throws a RequestError for a query that is refused whoever asks. */
  check(route: ConfigurableRoute, query: RawQuery): void;
}

/**
 * Looks for routes that do not exist, and for additions that are refused whoever asks. Throws a ConfigError for what
 * can never be right. Queries that are refused are errors too, or warnings where content is read tolerantly.
 */
export function checkAdditions(
  settings: Settings,
  extension: LoadedExtension | null,
  additions: Additions,
  binder: Binder,
  tolerance: Tolerance,
): string[] {
  const configurable = binder.routes.configurable();
  const errors = [
    ...routeErrors(settings.routes, configurable).map((problem) => `options: ${problem}`),
    ...routeErrors(extension?.routes ?? {}, configurable).map((problem) => `${extension?.file}: ${problem}`),
  ];
  const refused: string[] = [];
  for (const route of configurable) {
    const addition = additions.get(additionKey(route.uid, route.action));
    if (!addition) continue;
    const refusals = (place: string, query: RawQuery) => {
      const reason = refusalOf(() => binder.check(route, query));
      return reason === null ? [] : [`${place}: ${reason}`];
    };
    const ofSettings = parametersOf(route, addition).flatMap(([place, query]) => refusals(place, query));
    if (ofSettings.length === 0) {
      const whole = withoutNulls({ ...addition.defaults, ...addition.set });
      ofSettings.push(...refusals(placeOf(route.uid, route.action), whole));
    }
    refused.push(...ofSettings.map((problem) => `options: ${problem}`));
    if (!addition.hook || ofSettings.length > 0) continue;
    const trial = tryHook(addition);
    if (trial.kind === 'wrong') errors.push(trial.message);
    if (trial.kind === 'failed') refused.push(trial.message);
    if (trial.kind !== 'query') continue;
    const place = `${extension?.file}: ${hookPlace(route.uid, route.action)}, called with a query without parameters`;
    refused.push(...refusals(place, trial.query));
  }
  if (tolerance === 'strict') errors.push(...refused);
  if (errors.length > 0) throw new ConfigError(errors.join('\n'));
  return refused;
}

/** Each parameter alone, with its place in the settings. */
function parametersOf({ uid, action }: ConfigurableRoute, { defaults, set }: QueryAddition): [string, RawQuery][] {
  const parts: [Part, RawQuery][] = [
    ['default', defaults],
    ['set', set],
  ];
  return parts.flatMap(([part, parameters]) =>
    Object.entries(withoutNulls(parameters)).map(([name, value]): [string, RawQuery] => [
      `${placeOf(uid, action, part)}.${name}`,
      { [name]: value },
    ]),
  );
}

function withoutNulls(parameters: RawQuery): RawQuery {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}

function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof RequestError) return error.message;
    throw error;
  }
}

/** Types and actions that do not exist, or that take no query. */
function routeErrors(
  routes: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  configurable: readonly ConfigurableRoute[],
): string[] {
  const known = new Map<string, string[]>();
  for (const { uid, action } of configurable) known.set(uid, [...(known.get(uid) ?? []), action]);
  return Object.entries(routes).flatMap(([uid, actions]) => {
    const names = known.get(uid);
    const place = `routes[${JSON.stringify(uid)}]`;
    if (!names) return [`${place}: no content type with this uid takes queries${didYouMean(uid, known.keys())}`];
    return Object.keys(actions)
      .filter((action) => !names.includes(action))
      .map((action) => `${place}.${action}: no such action; it has ${names.join(', ')}${didYouMean(action, names)}`);
  });
}

/** The parameters of one part, frozen. What is wrong with them is added to `problems`. */
function readParameters(
  given: string | Record<string, unknown> | undefined,
  place: string,
  { arrayLimit, budgets }: Settings,
  dialect: Dialect,
  problems: string[],
): RawQuery {
  if (given === undefined) return {};
  let query: RawQuery;
  try {
    const limits = { ...budgets, arrayLimit };
    query = typeof given === 'string' ? parseQuery(given, limits, queryPolicies(dialect).errors) : given;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    problems.push(`${place}: ${error.message}, is ${preview(given)}`);
    return {};
  }
  const known = queryPolicies(dialect).request.parameters;
  for (const [name, value] of Object.entries(query)) {
    if (!known.has(name)) problems.push(`${place}.${name}: unknown parameter${didYouMean(name, known)}`);
    else if (hasPlaceholder(value)) problems.push(`${place}.${name}: must not contain U+FFFF, is ${preview(value)}`);
  }
  return frozen(structuredClone(query)) as RawQuery;
}

/** Freezes plain data to its leaves. */
function frozen(value: unknown): unknown {
  if (isPlainObject(value) || Array.isArray(value)) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

function placeOf(uid: string, action: string, part?: Part): string {
  return `routes[${JSON.stringify(uid)}].${action}${part === undefined ? '' : `.${part}`}`;
}

function hookPlace(uid: string, action: string): string {
  return `${placeOf(uid, action)}.query`;
}
