import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Extension modules of the tests, in a folder of their own. */
export const moduleFolder = mkdtempSync(join(tmpdir(), 'lectern-extend-'));

/** Removes the modules when the tests of a file have ended. */
export function removeModulesAfterAll(): void {
  afterAll(() => rmSync(moduleFolder, { recursive: true, force: true }));
}

let count = 0;

/** Writes a module and returns its path. */
export function moduleFile(text: string, name = `extension-${++count}.mjs`): string {
  mkdirSync(moduleFolder, { recursive: true });
  const file = join(moduleFolder, name);
  writeFileSync(file, text);
  return file;
}
