import { createCipheriv, hash } from 'node:crypto';
import type { Reply } from '../query/reply/reply.ts';

/** Base64 characters of an ETag: 132 bits of a digest, or the 128 bits of a checksum. */
const tagLength = 22;

/** From this size on, in bytes, the ETag is a checksum, which takes a third of the time of a digest. */
const largeBody = 16 * 1024;

/** Constant, so that every process computes the same ETags. Not a secret. */
const key = Buffer.alloc(16);
const nonce = Buffer.alloc(12);

/** A reply that caches the digest and the checksum of its body. */
type HashedReply = Reply & { digest?: string; checksum?: string };

/** Returns the strong ETag of a reply in a content coding, or in identity if `coding` is null. */
export function etagOf(reply: Reply, coding: string | null): string {
  if (coding !== null) return `"${bodyDigest(reply)}-${coding}"`;
  return `"${reply.body.length < largeBody ? bodyDigest(reply) : checksumOf(reply)}"`;
}

/** Returns a collision-resistant digest of the body. */
export function bodyDigest(reply: HashedReply): string {
  reply.digest ??= hash('sha256', reply.body, 'base64url').slice(0, tagLength);
  return reply.digest;
}

/**
 * Returns the 128-bit GHASH of the body, computed as a GCM authentication tag. Accidental collisions are negligible.
 * The key is public, so an author of content could construct a collision. Use it only for the ETag of one URL, never as
 * a cache key.
 */
function checksumOf(reply: HashedReply): string {
  if (reply.checksum === undefined) {
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(reply.body);
    cipher.final();
    reply.checksum = cipher.getAuthTag().toString('base64url');
  }
  return reply.checksum;
}
