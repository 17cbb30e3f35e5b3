/** What the errors of a network mean for an operator, whatever the database on the server is. */
import type { ServerLocation } from './location.ts';

/** The code of an error: a server's own, such as 42501, or the system's, such as ECONNREFUSED. */
export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

/** What users may change of an address, by where they have written it. */
const remedies = {
  project: {
    host: 'check the host in config/database or in .env',
    noTls: 'set ssl to false in config/database',
    tls: 'set ssl in config/database',
    authority: 'give its CA in ssl.ca of config/database',
  },
  environment: {
    host: 'check the host in DATABASE_URL',
    noTls: 'add sslmode=disable to DATABASE_URL',
    tls: 'add sslmode=require to DATABASE_URL',
    authority: 'give its CA by sslrootcert in DATABASE_URL',
  },
};

/** Returns what is wrong between this process and a server, and what to do. Null if the network is not at fault. */
export function networkProblem(code: string, message: string, location: ServerLocation): string | null {
  const { host, port } = location;
  const remedy = remedies[location.isOfEnvironment ? 'environment' : 'project'];
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${host} is not known; ${remedy.host}`;
    case 'ECONNREFUSED':
      return `no server takes connections at ${host}, port ${port}; start it, or check host and port`;
    case 'ENOENT':
      return `there is no socket ${host}; start the server, or check the host`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'ECONNRESET':
    case 'EPIPE':
      return `the server cannot be reached: ${message}`;
    default:
      if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_|HANDSHAKE_SSL/.test(code) || /certificate/i.test(message)) {
        return `the certificate of the server is not trusted: ${message}; ${remedy.authority}`;
      }
      if (code === 'HANDSHAKE_NO_SSL_SUPPORT' || /does not support SSL/.test(message)) {
        return `the server has no TLS; ${remedy.noTls}`;
      }
      if (/insecure transport/.test(message)) {
        return `the server takes only connections with TLS: ${message}; ${remedy.tls}`;
      }
      return null;
  }
}
