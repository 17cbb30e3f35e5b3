import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

// programs that use the helpers of tests, such as the soak
process.once('exit', removeFolders);

// `timeout` and Ctrl+C end workers without the event `exit`
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    removeFolders();
    // another listener decides when the process ends
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  });
}

/** A new folder, which `clean-up.ts` removes after the tests of the file. */
export function temporaryFolder(prefix = 'lectern-test-'): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
