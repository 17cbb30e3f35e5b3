/** What the errors of PostgreSQL and of its network mean for an operator. No message has a password. */
import { messageOf, SnapshotError, SourceAwayError } from '../../../core/errors.ts';
import { nameOfLocation, type ServerLocation } from '../location.ts';

/** The code of an error of the server, such as 42501, or of the system, such as ECONNREFUSED. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

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
  const { database, host, port } = location;
  const user = location.user ?? 'of this process';
  const code = codeOf(error);
  const message = messageOf(error);
  const away = (text: string) => new SourceAwayError([`${place}: ${text}`]);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return away(`the host ${host} is not known; check the host in config/database or in .env`);
    case 'ECONNREFUSED':
      return away(`no server takes connections at ${host}, port ${port}; start it, or check host and port`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'ECONNRESET':
    case 'EPIPE':
      return away(`the server cannot be reached: ${message}`);
    case '28P01':
    case '28000':
      return away(
        `the server rejects the user ${user}: ${message}; check user and password, and what pg_hba.conf allows`,
      );
    case '3D000':
      return away(`the server has no database ${database}; check its name`);
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
      if (isCertificateError(code, message)) {
        return away(
          `the certificate of the server is not trusted: ${message}; give its CA in ssl.ca of config/database`,
        );
      }
      if (/does not support SSL/.test(message))
        return away('the server has no TLS; set ssl to false in config/database');
      return away(message);
  }
}

function isCertificateError(code: string, message: string): boolean {
  return /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_/.test(code) || /certificate/i.test(message);
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
