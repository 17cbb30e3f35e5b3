/**
 * The settings of a Strapi project that Lectern has, too: those of its API, and the secrets by which it knows its
 * callers.
 */
import { type SnapshotWarning, warning } from '../../core/problems.ts';
import { type JwtManagement, jwtManagements, type SignInSecrets } from '../../model/access/definitions.ts';
import { configuredUnlessComputed, readProjectEnvironment } from './configuration.ts';

/** With the names of the settings of Lectern. */
interface ApiSettings {
  readonly prefix?: string;
  readonly defaultLimit?: number;
  readonly maxLimit?: number;
}

/**
 * Reads `rest` of `config/api`, which is not run. What it does not give is left out. Warns of what the code computes.
 * Throws a SnapshotError if the file cannot be parsed.
 */
export function readApiSettings(
  project: string,
  variables: ReadonlyMap<string, string>,
): { settings: ApiSettings; warnings: SnapshotWarning[] } {
  const warnings: SnapshotWarning[] = [];
  const read = (name: keyof ApiSettings): unknown =>
    configuredUnlessComputed(project, 'api', ['rest', name], variables, (place, reason) => {
      const hint = `set ${name} if it is not the default`;
      warnings.push(warning('unread-setting', `${place}: rest.${name} cannot be read (${reason}), so ${hint}`));
    });
  const prefix = read('prefix');
  const maxLimit = limitOf(read('maxLimit'));
  const defaultLimit = limitOf(read('defaultLimit'));
  const settings = {
    ...(typeof prefix === 'string' && { prefix }),
    ...(maxLimit !== null && { maxLimit }),
    // Strapi clamps it, too
    ...(defaultLimit !== null && { defaultLimit: Math.min(defaultLimit, maxLimit ?? defaultLimit) }),
  };
  return { settings, warnings };
}

/** Reads the settings of a project from its folder alone. Throws as `readApiSettings` does. */
export async function readProjectApiSettings(project: string): Promise<ApiSettings> {
  return readApiSettings(project, await readProjectEnvironment(project)).settings;
}

/** Strapi converts other values to a number, and takes what is not a number for no limit. */
function limitOf(value: unknown): number | null {
  const limit = Number(value ?? Number.NaN);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}

/** Where a secret is, and what is used where the code of the configuration computes it. */
interface Place {
  readonly file: 'admin' | 'plugins';
  readonly path: readonly string[];
  readonly variable?: string;
  readonly hint: string;
}

const usersPermissions = ['users-permissions', 'config'];

const salt: Place = {
  file: 'admin',
  path: ['apiToken', 'salt'],
  variable: 'API_TOKEN_SALT',
  hint: 'API_TOKEN_SALT of the environment is used',
};

const jwtSecret: Place = {
  file: 'plugins',
  path: [...usersPermissions, 'jwtSecret'],
  variable: 'JWT_SECRET',
  hint: 'JWT_SECRET of the environment is used; set jwtSecret if it is another',
};

const jwtManagement: Place = {
  file: 'plugins',
  path: [...usersPermissions, 'jwtManagement'],
  hint: 'it is taken to be "legacy-support"; set jwtManagement if it is another',
};

/**
 * Reads the secrets of a project: those of the code in `config/admin` and `config/plugins`, which is not run, and
 * otherwise those of the environment, as Strapi does. Warns of what cannot be read, without its value.
 */
export function readSignInSecrets(
  project: string,
  variables: ReadonlyMap<string, string>,
): { secrets: SignInSecrets; warnings: SnapshotWarning[] } {
  const warnings: SnapshotWarning[] = [];
  const read = (place: Place): string | null => {
    const value = configuredText(project, place, variables, warnings);
    return value ?? (place.variable && variables.get(place.variable)) ?? null;
  };
  const management = read(jwtManagement);
  const secrets = {
    apiTokenSalt: read(salt),
    jwtSecret: read(jwtSecret),
    jwtManagement: isManagement(management) ? management : 'legacy-support',
  } as const;
  return { secrets, warnings };
}

/** Reads the secrets of a project from its folder alone. Throws a SnapshotError if a file cannot be parsed. */
export async function readProjectSecrets(project: string): Promise<SignInSecrets> {
  return readSignInSecrets(project, await readProjectEnvironment(project)).secrets;
}

/** Returns null if the configuration does not give the value, or computes it. */
function configuredText(
  project: string,
  { file, path, hint }: Place,
  variables: ReadonlyMap<string, string>,
  warnings: SnapshotWarning[],
): string | null {
  const unread = (place: string, reason: string) => {
    warnings.push(warning('unread-secret', `${place}: ${path.join('.')} ${reason}, so ${hint}`));
    return null;
  };
  const value = configuredUnlessComputed(project, file, path, variables, (place, reason) =>
    unread(place, `cannot be read (${reason})`),
  );
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : unread(`config/${file}`, 'is no text');
}

/** Strapi takes any other value for the default. */
function isManagement(value: string | null): value is JwtManagement {
  return jwtManagements.some((each) => each === value);
}
