import { join } from 'node:path';
import { readProjectApiSettings } from '../load/project/api-settings.ts';
import { isStrapiProject } from '../load/project/project-folder.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { type Flags, readSettings } from './settings.ts';

/**
 * Reads the settings as `readSettings` does. If there is one snapshot and it is the folder of a Strapi project, what its
 * configuration says about the API counts where no other source does. Rejects with a ConfigError or a SnapshotError.
 */
export async function readSnapshotSettings(snapshots: readonly string[], given: Flags): Promise<SourcedConfig> {
  const [folder] = snapshots;
  if (snapshots.length > 1 || !(await isStrapiProject(folder))) return readSettings(given);
  const content = { place: join(folder, 'config/api'), settings: await readProjectApiSettings(folder) };
  return readSettings(given, process.env, content);
}
