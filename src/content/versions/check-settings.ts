/** Checks settings against the snapshot, because a misspelled role, type or action would silently have no effect. */
import { preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { reservedNames } from '../../http/prefix.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { wrongAction } from '../../model/access/actions.ts';
import { tokenRole } from '../../model/access/permissions.ts';
import { routeOf } from '../../model/schema/schema.ts';
import { ConfigError, type Settings } from '../../model/settings/config.ts';
import { problemAt, type SettingProblem, type SourceOf, withSource } from '../../model/settings/setting-problems.ts';

/**
 * Throws a ConfigError that lists every setting that contradicts the snapshot. Returns warnings for settings without
 * effect. `custom` lists the actions that the extension's routes require.
 */
export function checkSettings(
  settings: Settings,
  loaded: LoadedSnapshot,
  sourceOf: SourceOf,
  custom: readonly string[] = [],
): string[] {
  const problems = [
    ...prefixProblems(settings, loaded),
    ...cacheProblems(settings, loaded),
    ...actionProblems(settings, loaded, custom),
    ...searchProblems(settings, loaded),
  ];
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => withSource(problem, sourceOf)).join('\n'));
  return roleWarnings(settings, loaded);
}

/** Callers over HTTP only have roles of the snapshot. */
function roleWarnings({ roles }: Settings, loaded: LoadedSnapshot): string[] {
  const known = new Set(['public', 'authenticated', ...loaded.roles.map(({ type }) => type)]);
  return roles.flatMap(({ type }, index) =>
    known.has(type) ? [] : [`roles[${index}].type: no caller has the role ${preview(type)}${didYouMean(type, known)}`],
  );
}

/** Rejects a prefix that would make content routes collide with the server's own paths. */
function prefixProblems({ prefix, uploads }: Settings, { store }: LoadedSnapshot): SettingProblem[] {
  const problem = (message: string) => problemAt(['prefix'], `: ${message}`);
  const [, first] = prefix.split('/');
  if (uploads && first === 'uploads') {
    return [problem('must not begin with /uploads, where uploaded files are served')];
  }
  if (prefix !== '') return [];
  const names = reservedNames(Boolean(uploads));
  return Array.from(store.schema.types.values()).flatMap((type) =>
    type.kind !== 'component' && names.has(routeOf(type).toLowerCase())
      ? [problem(`must not be empty, because ${type.uid} would be served at /${routeOf(type)}, a path of the server`)]
      : [],
  );
}

function cacheProblems({ cacheControl, roles: more }: Settings, { store, roles }: LoadedSnapshot): SettingProblem[] {
  const known = new Set(['public', 'authenticated', tokenRole, ...[...roles, ...more].map(({ type }) => type)]);
  const unknown = (path: readonly PropertyKey[], what: string, name: string, names: Iterable<string>) =>
    problemAt(path, `: no such ${what}, is ${preview(name)}${didYouMean(name, names)}`);
  return cacheControl.flatMap(({ role, type }, index) => [
    ...(known.has(role) ? [] : [unknown(['cacheControl', index, 'role'], 'role', role, known)]),
    ...(type === undefined || store.byUid.has(type)
      ? []
      : [unknown(['cacheControl', index, 'type'], 'content type', type, store.byUid.keys())]),
  ]);
}

/** Rejects names of attributes without text to search. */
function searchProblems({ search }: Settings, { store }: LoadedSnapshot): SettingProblem[] {
  if (search.length === 0) return [];
  const known = store.collections.flatMap(({ type, columns, comparedTexts }) =>
    Array.from(columns).flatMap(([name, { dictionary }]) =>
      dictionary.kind === 'text' || comparedTexts.has(name) ? [`${type.uid}.${name}`] : [],
    ),
  );
  return search.flatMap((name, index) =>
    name === '*' || known.includes(name)
      ? []
      : [problemAt(['search', index], `: no such attribute with text, is ${preview(name)}${didYouMean(name, known)}`)],
  );
}

function actionProblems(
  { tokens, roles }: Settings,
  { store }: LoadedSnapshot,
  custom: readonly string[],
): SettingProblem[] {
  const wrong = (permissions: readonly string[], setting: readonly PropertyKey[], name: string) =>
    permissions.flatMap((action, index) => {
      const what = custom.includes(action) ? null : wrongAction(action, store.schema);
      if (what === null) return [];
      return [problemAt([...setting, 'permissions', index], ` of ${preview(name)}: ${preview(action)} ${what()}`)];
    });
  return [
    ...tokens.flatMap((token, index) =>
      token.type === 'custom' ? wrong(token.permissions, ['tokens', index], token.name) : [],
    ),
    ...roles.flatMap(({ permissions, type }, index) => wrong(permissions, ['roles', index], type)),
  ];
}
