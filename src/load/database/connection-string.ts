import { readFileSync } from 'node:fs';
import { SnapshotError } from '../../core/errors.ts';
import type { ServerLocation, ServerTls } from './location.ts';

/** `tls` is undefined if the string does not say it. */
export interface ParsedConnectionString
  extends Pick<ServerLocation, 'host' | 'port' | 'database' | 'user' | 'password'> {
  readonly tls: ServerTls | null | undefined;
}

/**
 * Parses a string such as `postgres://user:password@host:5432/name?sslmode=require`. Returns null for any other text. Throws
 * a SnapshotError if it names a file that cannot be read.
 */
export function parseConnectionString(text: string): ParsedConnectionString | null {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return null;
  try {
    return parseUrl(text);
  } catch (error) {
    // the name of a part is not encoded as in an address
    if (error instanceof URIError) return null;
    throw error;
  }
}

function parseUrl(text: string): ParsedConnectionString | null {
  const { hostname, port, pathname, username, password, searchParams } = new URL(text);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const database = decodeURIComponent(pathname.slice(1));
  if (database === '') return null;
  return {
    host: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || searchParams.get('port') || 5432),
    database,
    user: username === '' ? null : decodeURIComponent(username),
    password: password === '' ? null : decodeURIComponent(password),
    tls: tlsOf(searchParams),
  };
}

/** Parameters that name files with certificates. */
const files = ['sslrootcert', 'sslcert', 'sslkey'];

/** As Node's client reads it: `require` verifies the certificate, which PostgreSQL's own client does not. */
function tlsOf(parameters: URLSearchParams): ServerTls | null | undefined {
  const ssl = parameters.get('ssl');
  const given = ssl === null ? null : ssl === 'true' || ssl === '1' ? 'require' : 'disable';
  const mode = parameters.get('sslmode') ?? given ?? (files.some((name) => parameters.has(name)) ? 'require' : null);
  if (mode === null) return undefined;
  if (mode === 'disable') return null;
  const [ca, cert, key] = files.map((name) => fileAt(parameters.get(name), name));
  return { rejectUnauthorized: mode !== 'no-verify', ca, cert, key };
}

function fileAt(path: string | null, parameter: string): string | null {
  if (path === null) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'no such file' : (code ?? 'cannot be read');
    throw new SnapshotError([`${path}: ${problem}, but ${parameter} of the connection string names it`]);
  }
}
