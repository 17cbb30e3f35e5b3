import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

// programs that use the helpers of tests, such as the soak
process.once('exit', removeFolders);

/** A new folder, which `clean-up.ts` removes after the tests of the file. */
export function temporaryFolder(prefix = 'lectern-test-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
