/** The settings by which two servers of the same content give the same replies. */
import { hash } from 'node:crypto';
import type { Dialect } from '../../core/dialect.ts';
import type { Tolerance } from '../../core/problems.ts';
import type { Config } from './config.ts';

/** Settings that decide about status, headers or body of a reply from content. */
export const replySettings = [
  'dialect',
  'database',
  'tolerance',
  'tokens',
  'roles',
  'public',
  'strapiCredentials',
  'jwtManagement',
  'features',
  'drafts',
  'defaultLimit',
  'maxLimit',
  'arrayLimit',
  'prefix',
  'budgets',
  'mediaUrl',
  'uploadsOrigins',
  'responseFormat',
  'cacheControl',
  'cacheTags',
  'compression',
  'explain',
  'explorer',
  'facets',
  'openapi',
  'routes',
  'extend',
  'securityHeaders',
  'cors',
] as const satisfies readonly (keyof Config)[];

/**
 * Settings of one machine: its ports, limits and speed, what it does beside replies, and where it finds what is not content.
 * `users` decides about content, which a replica compares itself. A digest of `jwtSecret` would help to guess it.
 */
export const machineSettings = [
  '$schema',
  'users',
  'jwtSecret',
  'cacheBytes',
  'derivedBytes',
  'preparedBytes',
  'search',
  'searchBytes',
  'earlierBytes',
  'uploads',
  'cacheDir',
  'uploadsMaxAge',
  'host',
  'port',
  'adminHost',
  'adminPort',
  'admin',
  'contents',
  'follow',
  'images',
  'publish',
  'threads',
  'journal',
  'journalBytes',
  'webhook',
  'watch',
  'metrics',
  'upstream',
  'trustProxy',
  'rateLimit',
  'timeouts',
  'connections',
  'queue',
  'log',
] as const satisfies readonly (keyof Config)[];

/** Plain data. */
export type ReplySettings = Pick<Config, (typeof replySettings)[number]>;

/** What content decides where settings are silent. */
export interface ContentDefaults {
  readonly dialect: Pick<Dialect, 'name' | 'database' | 'strapiMajorVersion'>;
  readonly tolerance: Tolerance;
}

export function replySettingsOf(config: Config): ReplySettings {
  return Object.fromEntries(replySettings.map((name) => [name, config[name]])) as ReplySettings;
}

/** Returns a digest of the settings with which content is served. */
export function digestOfReplySettings(settings: ReplySettings, { dialect, tolerance }: ContentDefaults): string {
  const served: ReplySettings = {
    ...replySettingsOf(settings as Config),
    dialect: settings.dialect ?? dialect.name,
    database: settings.database ?? dialect.database,
    tolerance: settings.tolerance ?? tolerance,
    responseFormat: settings.responseFormat ?? (dialect.strapiMajorVersion === 4 ? 'v4' : 'v5'),
    jwtManagement: settings.jwtManagement ?? 'legacy-support',
    features: settings.features.toSorted(),
    // the path of the module may be another one on each machine
    extend: settings.extend === undefined ? undefined : 'module',
  };
  return hash('sha256', JSON.stringify(replySettings.map((name) => served[name] ?? null))).slice(0, 32);
}
