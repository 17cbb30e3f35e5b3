import type { ServerLocation, ServerTls } from './location.ts';

/** `tls` is undefined if the string does not say it. */
export interface ParsedConnectionString
  extends Pick<ServerLocation, 'host' | 'port' | 'database' | 'user' | 'password'> {
  readonly tls: ServerTls | null | undefined;
}

/** Parses a string such as `postgres://user:password@host:5432/name?sslmode=require`. Returns null for any other text. */
export function parseConnectionString(text: string): ParsedConnectionString | null {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return null;
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

/** As Node's client reads it: `require` verifies the certificate, which PostgreSQL's own client does not. */
function tlsOf(parameters: URLSearchParams): ServerTls | null | undefined {
  const ssl = parameters.get('ssl');
  const mode =
    parameters.get('sslmode') ?? (ssl === null ? null : ssl === 'true' || ssl === '1' ? 'require' : 'disable');
  if (mode === null) return undefined;
  if (mode === 'disable') return null;
  return { rejectUnauthorized: mode !== 'no-verify', ca: null, cert: null, key: null };
}
