import { SnapshotError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { isRepeatable } from './retries.ts';

/** A request to a Strapi that failed in all attempts. The message names the address, never the token. */
export class StrapiError extends SnapshotError {
  /** The status of the reply, or null if there was none. */
  readonly status: number | null;
  /** Whether the reply was an error in the form of Strapi. */
  readonly isFromStrapi: boolean;
  /** Whether the server could not be reached, or may answer otherwise later. */
  readonly isAway: boolean;

  constructor(
    sentence: string,
    status: number | null = null,
    isFromStrapi = false,
    isAway = status !== null && isRepeatable(status),
  ) {
    super([sentence]);
    this.message = sentence;
    this.status = status;
    this.isFromStrapi = isFromStrapi;
    this.isAway = isAway;
  }
}

export const addressHint =
  'Is this the address of a Strapi? If the prefix of its API is not /api, the address has to end with it, such as https://cms.example.com/content.';

const hostProblems: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  ECONNREFUSED: 'nothing listens there',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};

/** Whether a failed connection says that the address is wrong or the server is down, so that it was never reached. */
export function isUnreachable(error: unknown): boolean {
  return Object.hasOwn(hostProblems, codeOf(error) ?? '');
}

/** Describes why `fetch` rejected. */
export function describeConnectionError(error: unknown): string {
  const code = codeOf(error);
  if (code !== undefined && Object.hasOwn(hostProblems, code)) return hostProblems[code];
  const cause = causeOf(error);
  return cause instanceof Error && cause.message !== '' ? cause.message : (code ?? String(cause));
}

function codeOf(error: unknown): string | undefined {
  const code = (causeOf(error) as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Returns what `fetch` wraps: the error of the socket. A host with several addresses fails with an error for each. */
function causeOf(error: unknown): unknown {
  const cause = (error as Error).cause ?? error;
  return cause instanceof AggregateError && cause.message === '' ? cause.errors[0] : cause;
}

/** A reply with an error, and its request. */
interface FailedReply {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  /** The permission that the request needs. */
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

/** Returns the message of an error in the form of Strapi; null for any other text. */
function messageIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return isPlainObject(error) && typeof error.message === 'string' ? error.message : null;
  } catch {
    return null;
  }
}
