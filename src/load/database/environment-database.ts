import { ConfigError } from '../../model/settings/config.ts';
import { parseConnectionString } from './connection-string.ts';
import type { DatabaseLocation } from './location.ts';

const form = 'postgres://USER:PASSWORD@HOST:5432/NAME';

/**
 * Returns the database that DATABASE_URL names. Throws a ConfigError if it names none, without the value, which may hold a
 * password.
 */
export function databaseOfEnvironment({ DATABASE_URL: url }: NodeJS.ProcessEnv): DatabaseLocation {
  if (!url) {
    throw new ConfigError(
      `DATABASE_URL: set this environment variable to the address of the database, such as ${form}`,
    );
  }
  const parsed = parseConnectionString(url);
  if (!parsed)
    throw new ConfigError(
      `DATABASE_URL: is not the address of a PostgreSQL, MySQL or MariaDB database, such as ${form}`,
    );
  const schema = parsed.client === 'postgres' ? new URL(url).searchParams.get('schema') : null;
  return { ...parsed, schema, tls: parsed.tls ?? null, isOfEnvironment: true };
}
