import { ErrorReply } from '@redis/client';
import { PublicationError } from '../publication.ts';
import type { RedisServer } from './server.ts';

export class NoAnswer extends Error {
  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
  }
}

/** Whether the server answered with an error, and so did nothing. */
export function isReply(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply;
}

const credentials = 'LECTERN_REDIS_USERNAME and LECTERN_REDIS_PASSWORD (or LECTERN_REDIS_PASSWORD_FILE)';

/** What the first word of an error reply means. */
const replies: Readonly<Record<string, string>> = {
  NOAUTH: `needs a password: set ${credentials}`,
  WRONGPASS: `refuses the user or the password: check ${credentials}`,
  LOADING: 'is still reading its data',
  READONLY: 'only reads, because it is a replica of another server: use the address of the primary',
  OOM: 'has no memory left (maxmemory)',
  MISCONF: 'takes no writes, because it cannot save its data',
  NOREPLICAS: 'takes no writes, because it has too few replicas',
  MASTERDOWN: 'has no connection to its primary',
  CLUSTERDOWN: 'is a node of a cluster that is down',
};

/** What the code of a system error means. */
const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not found: its host has no address',
  EAI_AGAIN: 'is not found: the name service does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'does not answer',
  ECONNRESET: 'ended the connection',
  EPIPE: 'ended the connection',
};

const certificates = 'set LECTERN_REDIS_CA_FILE to the certificate of the authority that signed it';

const tlsFailures: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `has a certificate that is not trusted: ${certificates}`,
  SELF_SIGNED_CERT_IN_CHAIN: `has a certificate that is not trusted: ${certificates}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `has a certificate that is not trusted: ${certificates}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `has a certificate that is not trusted: ${certificates}`,
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for other names',
};

/** Returns an error that names the address and shows no password. `hasReplied`: whether the server ever did. */
export function explainRedisError(
  error: Error,
  { address, withoutSecrets }: Pick<RedisServer, 'address' | 'withoutSecrets'>,
  { outcome, hasReplied = true }: { readonly outcome?: 'none' | 'unknown'; readonly hasReplied?: boolean } = {},
): PublicationError {
  const explanation = isReply(error) ? explainReply(error.message) : explainFailure(error);
  const hint = !hasReplied && mayLackTls(error) ? (address.isEncrypted ? plainHint : encryptedHint) : '';
  const reason = withoutSecrets(explanation + hint);
  const isSafe = withoutSecrets(`${error.message}\n${error.stack}`) === `${error.message}\n${error.stack}`;
  return new PublicationError(`${address.text} ${reason}`, { outcome, cause: isSafe ? error : undefined });
}

function explainReply(message: string): string {
  const word = /^[A-Z]+/.exec(message)?.[0] ?? '';
  if (word in replies) return `${replies[word]} (${message})`;
  // the server may know no password at all
  if (/called without any password configured/.test(message)) {
    return `has no password for this user: check ${credentials} (${message})`;
  }
  if (word === 'NOPERM') return `does not let this user do that: ${message.slice(word.length + 1)}. ${neededRights}`;
  if (word === 'MOVED' || word === 'ASK') {
    return `is a node of a cluster that has this name at ${message.split(' ')[2]}: use the address of that node`;
  }
  if (/unknown command/i.test(message)) return `is no Redis or Valkey, or one before 7.0 (${message})`;
  return `answers with an error: ${message}`;
}

function explainFailure(error: Error & { code?: string }): string {
  const code = error.code ?? '';
  // of all addresses of a host
  if (error instanceof AggregateError && error.errors.length > 0) return explainFailure(error.errors[0]);
  if (code in failures) return `${failures[code]} (${code})`;
  if (code in tlsFailures) return `${tlsFailures[code]} (${code})`;
  if (/^(?:EPROTO|ERR_SSL)/.test(code)) return `fails at TLS (${code})`;
  if (/Unknown RESP type/.test(error.message)) return 'is no Redis or Valkey: its answer is another protocol';
  if (isClosedSocket(error)) return 'ended the connection';
  return `fails: ${error.message}`;
}

const plainHint = '. Is it a server without TLS, for redis:// or valkey://?';
const encryptedHint = '. A server with TLS needs rediss:// or valkeys://';

/** Whether the first commands fail like this if only one of the two sides begins TLS. */
function mayLackTls(error: Error & { code?: string }): boolean {
  return (
    /^(?:ECONNRESET|EPIPE|EPROTO|ERR_SSL)/.test(error.code ?? '') || isClosedSocket(error) || error instanceof NoAnswer
  );
}

function isClosedSocket(error: Error): boolean {
  return error.name === 'Error' && /Socket closed unexpectedly/.test(error.message);
}

/** The rights of a publisher and of a replica, with NAME in place of the name. */
export const publisherCommands =
  'hmget hlen hset hgetall hdel xadd xlen xrange xrevrange xread xtrim llen lrange rpush expire persist del set mget sadd srem smembers eval evalsha';
export const replicaCommands = 'hmget hlen xread xrange lrange set mget del sadd srem smembers';

const plus = (commands: string) => commands.replace(/(^| )/g, '$1+');
const neededRights =
  `A publisher needs "~{lectern:NAME}:* ${plus(publisherCommands)}", ` +
  `a replica "%R~{lectern:NAME}:* ~{lectern:NAME}:member* ${plus(replicaCommands)}", ` +
  'and both +info for a warning, and +select for a database other than 0';
