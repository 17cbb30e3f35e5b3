import { createHmac } from 'node:crypto';

/** The secret that the tests sign JWTs with. */
export const jwtSecret = 'a secret of the tests';

interface Signing {
  secret?: string;
  algorithm?: 'HS256' | 'HS512';
}

/** Signs a JWT without the library that the server verifies it with. */
export function signJwt(payload: object, { secret = jwtSecret, algorithm = 'HS256' }: Signing = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(payload)}`;
  return `${signed}.${createHmac(algorithm.replace('HS', 'sha'), secret).update(signed).digest('base64url')}`;
}

/** A JWT of a user. `expires` is in seconds since 1970. */
export function jwtOf(id: number, { secret, expires }: { secret?: string; expires?: number } = {}): string {
  return signJwt({ id, exp: expires }, { secret });
}
