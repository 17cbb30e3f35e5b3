/** Settings that speak of what a snapshot does not hold: they would be in force nowhere, and nobody would notice. */
import { wrongAction } from '../access/actions.ts';
import { tokenRole } from '../access/authenticate.ts';
import { preview } from '../base/problems.ts';
import { didYouMean } from '../base/suggest.ts';
import { ConfigError, type Settings } from '../config/config.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { routeOf } from '../model/schema.ts';
import { serverNames } from './router.ts';

/**
 * Throws a ConfigError that names each such setting, and returns warnings about those that have no effect. `custom` are the actions that routes of an extension ask for. */
export function checkSettings(settings: Settings, loaded: LoadedSnapshot, custom: readonly string[] = []): string[] {
  const problems = [
    ...prefixProblems(settings, loaded),
    ...cacheProblems(settings, loaded),
    ...actionProblems(settings, loaded, custom),
  ];
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `options: ${problem}`).join('\n'));
  return roleWarnings(settings, loaded);
}

/** Users have roles of the snapshot, so no caller over HTTP ever has another. */
function roleWarnings({ roles }: Settings, loaded: LoadedSnapshot): string[] {
  const known = new Set(['public', 'authenticated', ...loaded.roles.map(({ type }) => type)]);
  return roles.flatMap(({ type }, index) =>
    known.has(type) ? [] : [`roles[${index}].type: no caller has the role ${preview(type)}${didYouMean(type, known)}`],
  );
}

/** The content may not be served where the server has paths of its own: neither would be reached. */
function prefixProblems({ prefix, uploads }: Settings, { store }: LoadedSnapshot): string[] {
  const [, first] = prefix.split('/');
  if (uploads && first === 'uploads') return ['prefix: must not begin with /uploads, where uploaded files are served'];
  if (prefix !== '') return [];
  const names = uploads ? [...serverNames, 'uploads'] : [...serverNames];
  return Array.from(store.schema.types.values()).flatMap((type) =>
    type.kind !== 'component' && names.includes(routeOf(type).toLowerCase())
      ? [`prefix: must not be empty, as ${type.uid} would be served at /${routeOf(type)}, a path of the server`]
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
