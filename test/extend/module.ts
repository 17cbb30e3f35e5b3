import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Extension modules of the tests, in a folder of their own. */
export const moduleFolder = mkdtempSync(join(tmpdir(), 'lectern-extend-'));
afterAll(() => rmSync(moduleFolder, { recursive: true, force: true }));

let count = 0;

/** Writes a module and returns its path. */
export function moduleFile(text: string, name = `extension-${++count}.mjs`): string {
  const file = join(moduleFolder, name);
  writeFileSync(file, text);
  return file;
}
