import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A digest of files. Results made from them are reused while it is unchanged. */
export function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}
