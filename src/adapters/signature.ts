/** `X-Lectern-Signature`, checked with Web Crypto, which edge runtimes have too. */

const form = /^sha256=([0-9a-f]{64})$/;

/** Returns whether a signature is that of a body. Web Crypto compares in constant time. */
export async function isSigned(
  body: Uint8Array<ArrayBuffer>,
  signature: string | null,
  secret: string,
): Promise<boolean> {
  const hex = form.exec(signature ?? '')?.[1];
  if (hex === undefined) return false;
  const bytes = Uint8Array.from(hex.match(/../g)!, (byte) => Number.parseInt(byte, 16));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, bytes, body);
}
