import { createHash } from 'node:crypto';

/**
 * Returns the SHA-256 digest of a token in hex, by which tokens are looked up. Digests need no comparison in constant
 * time. The time of a lookup leaks at most the start of a digest, which helps nobody to guess a token.
 */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
