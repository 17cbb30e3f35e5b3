/** The settings of a Strapi project's API that Lectern has, too. */
import { type SnapshotWarning, warning } from '../../core/problems.ts';
import { configured } from './database-settings.ts';
import { readProjectEnvironment } from './environment.ts';
import { NotConstantError } from './source/scope.ts';

/** With the names of the settings of Lectern. */
export interface ApiSettings {
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
  const read = (name: keyof ApiSettings): unknown => {
    try {
      return configured(project, 'api', ['rest', name], variables);
    } catch (error) {
      if (!(error instanceof NotConstantError)) throw error;
      const { file, node, message } = error;
      const hint = `set ${name} if it is not the default`;
      const place = `${file.name}:${node.loc.start.line}`;
      warnings.push(warning('unread-setting', `${place}: rest.${name} cannot be read (${message}), so ${hint}`));
      return undefined;
    }
  };
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
