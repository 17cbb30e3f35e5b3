/** What the errors of MySQL and MariaDB mean for an operator. No message has a password. */
import { messageOf, SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';
import { codeOf, networkProblem } from '../server-errors.ts';

/** A table or column that is missing, or that is being changed. */
export class ChangingTablesError extends SourceAwayError {}

/** A table that the user may not read. */
export class WithheldTableError extends SourceAwayError {}

/**
 * Returns the error that users see: a SourceAwayError, because somebody may mend the server. Errors that are SnapshotErrors
 * already stay as they are.
 */
export function mysqlError(error: unknown, location: ServerLocation): SnapshotError {
  if (error instanceof SnapshotError) return error;
  const { user, database } = location;
  const [code, message] = [codeOf(error), messageOf(error)];
  const place = nameOfLocation(location);
  const away = (problem: string) => new SourceAwayError([`${place}: ${problem}`]);
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
    case 'ER_HOST_NOT_PRIVILEGED':
      return away(
        `the server rejects ${user === null ? 'a connection without a user' : `the user ${user}`}: ${message}; check user and password, from where the user may connect, and whether it has to use TLS`,
      );
    case 'ER_BAD_DB_ERROR':
      return away(`the server has no database ${database}; check its name`);
    case 'ER_DBACCESS_DENIED_ERROR':
      return away(`the user ${user} may not use the database; run GRANT SELECT ON ${database}.* TO '${user}'`);
    case 'ER_TABLEACCESS_DENIED_ERROR':
    case 'ER_COLUMNACCESS_DENIED_ERROR': {
      const [, table = '?'] = /for table [`'"]?(?:[^`'".]+[`'"]?\.[`'"]?)?([^`'"\s]+)/.exec(message) ?? [];
      const grant = `run GRANT SELECT ON ${database}.${table} TO '${user}'`;
      return new WithheldTableError([`${place}: the user ${user} may not read the table ${table}; ${grant}`]);
    }
    case 'ER_CON_COUNT_ERROR':
    case 'ER_TOO_MANY_USER_CONNECTIONS':
      return away(`the server takes no more connections: ${message}`);
    case 'ER_NO_SUCH_TABLE':
    case 'ER_BAD_FIELD_ERROR':
    case 'ER_TABLE_DEF_CHANGED':
    case 'ER_LOCK_WAIT_TIMEOUT':
    case 'ER_LOCK_DEADLOCK':
      return new ChangingTablesError([
        `${place}: ${message}; Strapi may be changing its tables; the read is tried again`,
      ]);
    default:
      // by a limit of time, or by an administrator
      if (code === 'ER_QUERY_TIMEOUT' || (error as { sqlState?: unknown }).sqlState === '70100')
        return away(`a read was cancelled: ${message}`);
      return away(networkProblem(code, message, location) ?? message);
  }
}
