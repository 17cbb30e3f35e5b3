import { readFileSync } from 'node:fs';
import { SnapshotError } from '../../core/errors.ts';
import type { ServerLocation, ServerTls } from './location.ts';

/** `tls` is undefined if the string does not say it. */
export interface ParsedConnectionString
  extends Pick<ServerLocation, 'client' | 'host' | 'port' | 'database' | 'user' | 'password'> {
  readonly tls: ServerTls | null | undefined;
}

/** The schemes, and the port that is taken if a string names none. */
const servers = [
  { client: 'postgres', scheme: /^postgres(ql)?:$/, port: 5432 },
  { client: 'mysql', scheme: /^(mysql2?|mariadb):$/, port: 3306 },
] as const;

/**
 * Parses a string such as `postgres://user:password@host:5432/name?sslmode=require`. Returns null for any other text. Throws
 * a SnapshotError if it names a file that cannot be read.
 */
export function parseConnectionString(text: string): ParsedConnectionString | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const server = servers.find(({ scheme }) => scheme.test(url.protocol));
  try {
    return server ? parseUrl(url, server) : null;
  } catch (error) {
    // the name of a part is not encoded as in an address
    if (error instanceof URIError) return null;
    throw error;
  }
}

function parseUrl(
  { hostname, port, pathname, username, password, searchParams }: URL,
  server: (typeof servers)[number],
): ParsedConnectionString | null {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const database = decodeURIComponent(pathname.slice(1));
  if (database === '') return null;
  return {
    client: server.client,
    host: host === '' ? 'localhost' : host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || searchParams.get('port') || server.port),
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
