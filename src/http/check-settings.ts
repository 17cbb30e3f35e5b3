/** Checks settings against the snapshot, because a misspelled role, type or action would silently have no effect. */
import { wrongAction } from '../access/actions.ts';
import { tokenRole } from '../access/authenticate.ts';
import { preview } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import { ConfigError, type Settings } from '../config/config.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { routeOf } from '../model/schema.ts';
import { serverNames } from './prefix.ts';

/**
 * Throws a ConfigError that lists every setting that contradicts the snapshot. Returns warnings for settings without
 * effect. `custom` lists the actions that the extension's routes require.
 */
export function checkSettings(settings: Settings, loaded: LoadedSnapshot, custom: readonly string[] = []): string[] {
  const problems = [
    ...prefixProblems(settings, loaded),
    ...cacheProblems(settings, loaded),
    ...actionProblems(settings, loaded, custom),
  ];
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `options: ${problem}`).join('\n'));
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
function prefixProblems({ prefix, uploads }: Settings, { store }: LoadedSnapshot): string[] {
  const [, first] = prefix.split('/');
  if (uploads && first === 'uploads') return ['prefix: must not begin with /uploads, where uploaded files are served'];
  if (prefix !== '') return [];
  const names = uploads ? [...serverNames, 'uploads'] : [...serverNames];
  return Array.from(store.schema.types.values()).flatMap((type) =>
    type.kind !== 'component' && names.includes(routeOf(type).toLowerCase())
      ? [`prefix: must not be empty, because ${type.uid} would be served at /${routeOf(type)}, a path of the server`]
      : [],
  );
}

function cacheProblems({ cacheControl, roles: more }: Settings, { store, roles }: LoadedSnapshot): string[] {
  const known = new Set(['public', 'authenticated', tokenRole, ...[...roles, ...more].map(({ type }) => type)]);
  return cacheControl.flatMap(({ role, type }, index) => [
    ...(known.has(role)
      ? []
      : [`cacheControl[${index}].role: no such role, is ${preview(role)}${didYouMean(role, known)}`]),
    ...(type === undefined || store.byUid.has(type)
      ? []
      : [
          `cacheControl[${index}].type: no such content type, is ${preview(type)}${didYouMean(type, store.byUid.keys())}`,
        ]),
  ]);
}

function actionProblems({ tokens, roles }: Settings, { store }: LoadedSnapshot, custom: readonly string[]): string[] {
  const wrong = (permissions: readonly string[], setting: string, name: string) =>
    permissions.flatMap((action, index) => {
      const what = custom.includes(action) ? null : wrongAction(action, store.schema);
      return what === null
        ? []
        : [`${setting}.permissions[${index}] of ${preview(name)}: ${preview(action)} ${what()}`];
    });
  return [
    ...tokens.flatMap((token, index) =>
      token.type === 'custom' ? wrong(token.permissions, `tokens[${index}]`, token.name) : [],
    ),
    ...roles.flatMap(({ permissions, type }, index) => wrong(permissions, `roles[${index}]`, type)),
  ];
}
