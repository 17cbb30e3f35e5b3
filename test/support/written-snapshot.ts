/** Content that is written as a JSON snapshot. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeJsonSnapshot } from '../../src/changes/export/write-json-snapshot.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { temporaryFolder } from './folders.ts';

/** Writes content to a new folder and returns its path. */
export async function writtenTo(loaded: LoadedSnapshot): Promise<string> {
  const folder = temporaryFolder();
  await writeJsonSnapshot(folder, loaded);
  return folder;
}

/** The text of each file of a folder, by path. */
export function filesIn(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
