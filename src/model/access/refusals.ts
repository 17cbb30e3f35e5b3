import { UnauthorizedError } from '../../core/errors.ts';

/** The messages of Strapi. */

/** The header holds no valid credential. */
export function missingOrInvalid(): UnauthorizedError {
  return new UnauthorizedError('Missing or invalid credentials');
}

/** The user may not sign in. */
export function invalid(): UnauthorizedError {
  return new UnauthorizedError('Invalid credentials');
}

export function expired(): UnauthorizedError {
  return new UnauthorizedError('Token expired');
}
