import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A digest of files: what was made from them before can be used again while it stays the same. */
export function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}
