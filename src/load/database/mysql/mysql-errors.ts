/** What the errors of MySQL and MariaDB mean for an operator. No message has a password. */
import { messageOf, SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';
import { codeOf, networkProblem } from '../server-errors.ts';

/**
 * Returns the error that users see: a SourceAwayError, because somebody may mend the server. Errors that are SnapshotErrors
 * already stay as they are.
 */
export function mysqlError(error: unknown, location: ServerLocation): SnapshotError {
  if (error instanceof SnapshotError) return error;
  const message = messageOf(error);
  const problem =
    networkProblem(codeOf(error), message, location) ?? serverProblem(codeOf(error), message, location) ?? message;
  return new SourceAwayError([`${nameOfLocation(location)}: ${problem}`]);
}

function serverProblem(code: string, message: string, location: ServerLocation): string | null {
  const { user } = location;
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
    case 'ER_HOST_NOT_PRIVILEGED':
      return `the server rejects ${user === null ? 'a connection without a user' : `the user ${user}`}: ${message}; check user and password, and from where the user may connect`;
    case 'ER_BAD_DB_ERROR':
      return `the server has no database ${location.database}; check its name`;
    case 'ER_DBACCESS_DENIED_ERROR':
      return `the user ${user} may not use the database; run GRANT SELECT ON ${location.database}.* TO '${user}'`;
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR': {
      const [, table = '?'] = /for table [`'"]?(?:[^`'".]+[`'"]?\.[`'"]?)?([^`'"\s]+)/.exec(message) ?? [];
      return `the user ${user} may not read the table ${table}; run GRANT SELECT ON ${location.database}.${table} TO '${user}'`;
    }
    case 'ER_CON_COUNT_ERROR':
    case 'ER_TOO_MANY_USER_CONNECTIONS':
      return `the server takes no more connections: ${message}`;
    case 'ER_NO_SUCH_TABLE':
    case 'ER_BAD_FIELD_ERROR':
    case 'ER_TABLE_DEF_CHANGED':
    case 'ER_LOCK_WAIT_TIMEOUT':
    case 'ER_LOCK_DEADLOCK':
      return `${message}; Strapi may be changing its tables; the read is tried again`;
    default:
      return null;
  }
}
