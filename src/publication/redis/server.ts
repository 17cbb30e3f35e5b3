import { readFile } from 'node:fs/promises';
import type { PublicationAddress } from '../addresses.ts';
import { PublicationError } from '../publication.ts';
import { type Environment, readSecret } from '../secrets.ts';

/** How a server is reached. */
export interface RedisServer {
  readonly address: Extract<PublicationAddress, { kind: 'redis' }>;
  /** Certificates that are trusted in place of those of the system, as PEM. */
  readonly certificates: Buffer | undefined;
  /** Reads a password file with each connection, so that a new password needs no restart. */
  readonly readCredentials: () => Promise<{ readonly username?: string; readonly password?: string }>;
  /** Returns a message without the passwords that were read. */
  readonly withoutSecrets: (message: string) => string;
}

/** Reads credentials and certificates from the environment. Rejects with a PublicationError. */
export async function readServer(address: RedisServer['address'], environment: Environment): Promise<RedisServer> {
  const passwords = new Set<string>();
  const username = environment.LECTERN_REDIS_USERNAME || undefined;
  const readCredentials = async () => {
    const password = await readSecret('LECTERN_REDIS_PASSWORD', environment);
    if (password !== undefined) passwords.add(password);
    return { username: password === undefined ? undefined : username, password };
  };
  // a file that is missing is reported now
  const { password } = await readCredentials();
  if (username !== undefined && password === undefined) {
    throw new PublicationError(
      'LECTERN_REDIS_USERNAME is set, but neither LECTERN_REDIS_PASSWORD nor LECTERN_REDIS_PASSWORD_FILE',
    );
  }
  const path = environment.LECTERN_REDIS_CA_FILE;
  const certificates =
    path &&
    (await readFile(path).catch((cause: Error) => {
      throw new PublicationError(`cannot read the certificates of LECTERN_REDIS_CA_FILE: ${cause.message}`, { cause });
    }));
  return {
    address,
    certificates: certificates || undefined,
    readCredentials,
    withoutSecrets: (message) => {
      let text = message;
      for (const each of passwords) text = text.replaceAll(each, '(password)');
      return text;
    },
  };
}
