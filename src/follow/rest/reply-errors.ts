import { isPlainObject } from '../../core/plain-object.ts';
import { addressHint } from './find-api.ts';
import { StrapiError } from './strapi-error.ts';

/** A reply with an error, and its request. */
interface FailedReply {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** What the request needs. */
  readonly permission?: string;
  readonly hasToken: boolean;
}

/** Returns the error for a reply. Names the permission that a 403 requires. */
export function describeReply({ url, status, text, permission, hasToken }: FailedReply): StrapiError {
  const sent = messageIn(text);
  const path = url.replace(/\?.*/s, '');
  if (sent === null) return new StrapiError(`${path} answers with ${status}. ${addressHint}`, status);
  const error = (sentence: string) => new StrapiError(sentence, status, true);
  if (status === 401) {
    return error(
      hasToken
        ? `${path}: Strapi rejects the token (401: ${sent}). It may be mistyped, expired or deleted.`
        : `${path}: Strapi requires a token (401: ${sent}).`,
    );
  }
  if (status === 403) {
    const right = permission === undefined ? 'a permission' : `the permission ${permission}`;
    return error(`${path}: ${hasToken ? 'the token' : 'the role Public'} lacks ${right} (403: ${sent}).`);
  }
  return error(`${url} answers with ${status}: ${sent}`);
}

/** Returns the message of an error as Strapi sends it, or null if the text is none. */
function messageIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return isPlainObject(error) && typeof error.message === 'string' ? error.message : null;
  } catch {
    return null;
  }
}
