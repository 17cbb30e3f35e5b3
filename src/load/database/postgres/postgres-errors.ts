/** What the errors of PostgreSQL and of its network mean for an operator. No message has a password. */
import { messageOf, SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';
import { codeOf, networkProblem } from '../server-errors.ts';

/** A table that is being changed, or that has been changed since its columns were read. */
export class ChangingTablesError extends SourceAwayError {
  /** That of the server, such as 42P01 for a missing table. */
  readonly code: string;

  constructor(problem: string, code: string) {
    super([problem]);
    this.code = code;
  }
}

const strapiMigrates = 'Strapi may be changing its tables; the read is tried again';

/** Returns the error that users see. Errors that are SnapshotErrors already stay as they are. */
export function postgresError(error: unknown, location: ServerLocation): SnapshotError {
  if (error instanceof SnapshotError) return error;
  const place = nameOfLocation(location);
  const user = location.user ?? 'of this process';
  const code = codeOf(error);
  const message = messageOf(error);
  const away = (text: string) => new SourceAwayError([`${place}: ${text}`]);
  switch (code) {
    case '28P01':
    case '28000':
      return away(
        `the server rejects the user ${user}: ${message}; check user and password, and what pg_hba.conf allows`,
      );
    case '3D000':
      return away(`the server has no database ${location.database}; check its name`);
    case '42501':
      return away(rightsMessage(message, user));
    case '42883':
      return new SnapshotError([`${place}: ${message}; only PostgreSQL 13 and later are read`]);
    case '53300':
      return away(`the server takes no more connections: ${message}`);
    case '55P03':
    case '40P01':
    case '42P01':
    case '42703':
    case '42704':
    case '0A000':
      return new ChangingTablesError(`${place}: ${message}; ${strapiMigrates}`, code);
    case '40001':
    case '57014':
    case '25P03':
      return away(`a read was cancelled: ${message}`);
    default:
      return away(networkProblem(code, message, location) ?? message);
  }
}

function rightsMessage(message: string, user: string): string {
  const policy = /row-level security policy for table "([^"]+)"/.exec(message);
  if (policy) {
    return `row-level security hides rows of the table ${policy[1]} from the role ${user}; give the role BYPASSRLS, or read with the owner of the table`;
  }
  const table = /permission denied for (?:table|relation|view) "?([^"\s]+)"?/.exec(message);
  if (table)
    return `the role ${user} may not read the table ${table[1]}; run GRANT SELECT ON "${table[1]}" TO "${user}"`;
  const schema = /permission denied for schema "?([^"\s]+)"?/.exec(message);
  if (schema)
    return `the role ${user} may not use the schema ${schema[1]}; run GRANT USAGE ON SCHEMA "${schema[1]}" TO "${user}"`;
  return message;
}
