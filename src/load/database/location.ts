/** Where the database of a Strapi is. */

export type DatabaseLocation = SqliteLocation | ServerLocation;

export interface SqliteLocation {
  readonly client: 'sqlite';
  /** An absolute path. */
  readonly file: string;
}

/** A database on a server. What is null has the default of its client. */
export interface ServerLocation {
  readonly client: 'postgres' | 'mysql';
  /** A name, an address or, if it begins with a slash, the folder of a socket. */
  readonly host: string;
  readonly port: number;
  /** The name of the database. */
  readonly database: string;
  /** PostgreSQL: the schema of the tables. Null: that of the search path. */
  readonly schema: string | null;
  readonly user: string | null;
  readonly password: string | null;
  /** Null: the connection is not encrypted. */
  readonly tls: ServerTls | null;
  /** Whether the address is that of DATABASE_URL, read without a project. */
  readonly isOfEnvironment?: true;
}

export interface ServerTls {
  /** Whether the certificate of the server is verified. */
  readonly rejectUnauthorized: boolean;
  /** Certificates of authorities, and of the client with its key, as PEM. Null: none. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/** Returns the name of a database for messages, without user and password. */
export function nameOfLocation(location: DatabaseLocation): string {
  if (location.client === 'sqlite') return location.file;
  const { client, host, port, database } = location;
  return `${client}://${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}
