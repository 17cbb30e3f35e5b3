import { join } from 'node:path';
import type { Logger } from 'pino';
import { isStrapiProject } from '../load/project/project-folder.ts';
import { readProjectApiSettings } from '../load/project/project-settings.ts';
import { readSources, type SourcedConfig, type Sources } from '../model/settings/read-config.ts';
import { createLog } from '../server/log/log.ts';
import { type Flags, settingsOfFlags } from './flags.ts';

/** The end of the help of the program. */
export const settingsHelp = `
A flag overrides an environment variable, which overrides the config file.
Each setting has an environment variable: LECTERN_ and its path in capitals, with
underscores between words. Lists use commas, nested values use JSON:
  LECTERN_MAX_LIMIT=200  LECTERN_BUDGETS_STEPS=5000000
  LECTERN_CORS_ORIGINS=https://a.example,https://b.example
  LECTERN_TOKENS='[{"name": "site", "sha256": "…", "type": "read-only"}]'
PORT, HOST, ADMIN_PORT, LOG_LEVEL and JWT_SECRET also work without the prefix.`;

/** Reads the config from flags, environment and config file. Throws a ConfigError. */
export function readSettings(
  given: Flags,
  environment = process.env,
  content: Sources['content'] = undefined,
): SourcedConfig {
  const file = given.config ?? (environment.LECTERN_CONFIG || undefined);
  return readSources({ file, environment, flags: settingsOfFlags(given), content });
}

/**
 * Reads the settings as `readSettings` does. `snapshots` are paths without names. If the only one is the folder of a
 * Strapi project, the project's settings of the API apply too, with the lowest precedence. Rejects with a ConfigError
 * or a SnapshotError.
 */
export async function readSnapshotSettings(snapshots: readonly string[], given: Flags): Promise<SourcedConfig> {
  const [folder] = snapshots;
  if (snapshots.length > 1 || !(await isStrapiProject(folder))) return readSettings(given);
  const content = { place: join(folder, 'config/api'), settings: await readProjectApiSettings(folder) };
  return readSettings(given, process.env, content);
}

/** Creates the log of a failed start. People read it, so it is text unless the settings ask for JSON. */
export function createStartLog(format = givenFormat(process.env)): Logger {
  return createLog({ level: 'info', format: format === 'json' ? 'json' : 'text' });
}

/** Logs a mistake in the command line. */
export function writeUsageError(text: string): void {
  createStartLog().fatal(text.trim().replace(/^error: /, ''));
}

/** Returns the format that the environment gives. Settings that cannot be read give none. */
export function givenFormat({ LECTERN_LOG_FORMAT, LECTERN_DEFAULTS = '{}' }: NodeJS.ProcessEnv): string | undefined {
  if (LECTERN_LOG_FORMAT) return LECTERN_LOG_FORMAT;
  try {
    return JSON.parse(LECTERN_DEFAULTS).log?.format;
  } catch {
    return undefined;
  }
}
