import { createHash } from 'node:crypto';

/** Returns the digest of a token as settings have it, or of bytes. A file of its own, because it imports no engine. */
export function sha256(token: string | Uint8Array): string {
  return createHash('sha256').update(token).digest('hex');
}
