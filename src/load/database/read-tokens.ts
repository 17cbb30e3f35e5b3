import { SnapshotError } from '../../core/errors.ts';
import type { ApiToken } from '../../model/access/sign-in.ts';
import type { Database } from './database.ts';
import type { DatabaseValue } from './database-driver.ts';

/**
 * Reads the API tokens of a Strapi database in ascending order of id, without those for the admin panel. `location`
 * names the database in messages. Throws a SnapshotError if the tables do not fit, or a token expires at no date.
 */
export function readApiTokens(database: Database, location: string): ApiToken[] {
  const permissions = readPermissions(database);
  // before Strapi had tokens for the admin panel, there was no column
  const [hasKind] = database.rows(`SELECT name FROM pragma_table_info('strapi_api_tokens') WHERE name = 'kind'`);
  const content = hasKind ? `WHERE kind IS NULL OR kind = 'content-api'` : '';
  const statement = `SELECT id, name, type, access_key, expires_at FROM strapi_api_tokens ${content} ORDER BY id`;
  return Array.from(database.rows(statement), ([id, name, given, accessKey, expiresAt]) => {
    const type = given === 'full-access' || given === 'read-only' ? given : 'custom';
    return {
      name: String(name),
      type,
      permissions: given === 'custom' ? (permissions.get(id) ?? []) : [],
      accessKey: String(accessKey),
      expires: timeOf(expiresAt, `${location}: strapi_api_tokens: the token ${JSON.stringify(name)}`),
    };
  });
}

/** Returns the actions of tokens, by the ids of the tokens. */
function readPermissions(database: Database): Map<DatabaseValue, string[]> {
  const permissions = new Map<DatabaseValue, string[]>();
  const statement =
    'SELECT link.api_token_id, permission.action FROM strapi_api_token_permissions_token_lnk AS link ' +
    'JOIN strapi_api_token_permissions AS permission ON permission.id = link.api_token_permission_id ' +
    'ORDER BY permission.action';
  for (const [token, action] of database.rows(statement)) {
    const actions = permissions.get(token);
    if (actions) actions.push(String(action));
    else permissions.set(token, [String(action)]);
  }
  return permissions;
}

/** Returns a date in milliseconds since 1970. Strapi writes a number of them on SQLite. */
function timeOf(value: DatabaseValue, token: string): number | null {
  if (value === null) return null;
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  if (Number.isFinite(time)) return time;
  throw new SnapshotError([`${token} has an expires_at that is no date: ${JSON.stringify(String(value))}`]);
}
