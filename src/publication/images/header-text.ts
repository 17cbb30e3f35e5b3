import { PublicationError } from '../publication.ts';

/** Returns a secret that a header can hold. Throws a PublicationError otherwise: `fetch` would show the secret. */
export function checkHeaderText<T extends string | undefined>(secret: T, variable: string): T {
  if (secret === undefined || /^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new PublicationError(`${variable} has characters that a header cannot hold, such as spaces or line ends`);
}
