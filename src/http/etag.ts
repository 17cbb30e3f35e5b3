import { createCipheriv, hash } from 'node:crypto';
import type { Reply } from '../reply/reply.ts';

/** Characters of what an ETag is made from: 132 bits of a digest, or the 128 bits of a checksum. */
const tagLength = 22;

/** Of larger bodies a checksum is taken sooner than a digest. */
const largeBody = 16 * 1024;

/** The same in every process, and so are the ETags: they are no secret. */
const key = Buffer.alloc(16);
const nonce = Buffer.alloc(12);

/** A reply that has been sent knows what was worked out of its body. */
type Known = Reply & { digest?: string; checksum?: string };

/** The strong ETag of a reply in a content coding, which makes it another sequence of bytes; null: as it is. */
export function etagOf(reply: Reply, coding: string | null): string {
  if (coding !== null) return `"${digestOf(reply)}-${coding}"`;
  return `"${reply.body.length < largeBody ? digestOf(reply) : checksumOf(reply)}"`;
}

/** Equal for equal bodies only, whoever wrote them. */
export function digestOf(reply: Known): string {
  reply.digest ??= hash('sha256', reply.body, 'base64url').slice(0, tagLength);
  return reply.digest;
}

/**
 * Equal for equal bodies, and for no two others that occur: what GCM authenticates, a polynomial of the body in 128
 * bits, in a third of a digest's time. As its key is known, who may write content could write two bodies with the same
 * one; so it tells a client whether the body at one URL has changed, and nothing else.
 */
function checksumOf(reply: Known): string {
  if (reply.checksum === undefined) {
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(reply.body);
    cipher.final();
    reply.checksum = cipher.getAuthTag().toString('base64url');
  }
  return reply.checksum;
}
