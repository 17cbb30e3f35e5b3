/** Finds the API of a Strapi, whose prefix is `/api` unless the project sets another one. */
import { StrapiError } from './strapi-error.ts';

/** A route that every Strapi has at the same path. */
const probedPath = 'content-type-builder/components';

/** Reads the address of a Strapi. Throws a StrapiError for anything else. */
export function readAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol)) {
    throw new StrapiError(`${url} is not an address. Expected one such as https://cms.example.com`);
  }
  if (address.username !== '' || address.password !== '') {
    throw new StrapiError('The address must not contain a user name or password.');
  }
  address.search = '';
  address.hash = '';
  return address;
}

/** Throws a StrapiError for a token that no header can hold. The error of the header would quote the token. */
export function checkToken(token: string | undefined): void {
  if (token === '') throw new StrapiError('The token is empty.');
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return;
  throw new StrapiError('The token has characters that no API token of Strapi has, such as spaces or line breaks.');
}

/**
 * Returns the prefix of the API below the address. Without a given prefix, tries `/api` and then none, for an address that
 * ends with the prefix. `get` sends a request to a path below a prefix. Rejects with a StrapiError.
 */
export async function findApi(
  get: (prefix: string, path: string) => Promise<unknown>,
  given: string | undefined,
): Promise<string> {
  const prefixes = given === undefined ? ['/api', ''] : [given.replace(/^\/*(?=.)/, '/').replace(/\/+$/, '')];
  let problem: StrapiError | null = null;
  let withoutRoute: string | null = null;
  for (const prefix of prefixes) {
    try {
      await get(prefix, probedPath);
      return prefix;
    } catch (error) {
      if (!(error instanceof StrapiError) || error.status === null) throw error;
      const { status, isFromStrapi } = error;
      if (status >= 500 || status === 429 || (isFromStrapi && status === 401)) throw error;
      if (isFromStrapi && status === 403) return prefix;
      problem ??= error;
      // a Strapi without the content-type builder, or the wrong prefix
      if (isFromStrapi) withoutRoute ??= prefix;
    }
  }
  if (withoutRoute === null) throw problem!;
  return withoutRoute;
}
