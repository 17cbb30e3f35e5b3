import { createHmac } from 'node:crypto';

/** The secret that the tests sign the JWTs of users with. */
export const jwtSecret = 'a secret of the tests';

/** A JWT of a user. `expires` is in seconds since 1970. */
export function jwtOf(id: number, { secret = jwtSecret, expires }: { secret?: string; expires?: number } = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ id, exp: expires })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
