/** Headers between client and upstream server. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Trust } from '../connections/request-details.ts';

/** Hop-by-hop headers. Node writes its own. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Headers in which proxies describe the client. They are only forwarded from trusted proxies. */
const clientHeaders = /^(x-forwarded-.*|forwarded|x-real-ip)$/;

/**
 * Returns the headers that describe the client to the upstream server, and its own name as Host. Extends the headers of
 * a trusted proxy and replaces all others, because Strapi trusts the first address in `X-Forwarded-For`.
 */
export function forwardedHeaders(
  { headers, socket }: IncomingMessage,
  upstreamHost: string,
  trust: Trust,
): Record<string, string> {
  const peer = socket.remoteAddress ?? '';
  const known = trust(peer, 0) ? headers : {};
  return {
    host: upstreamHost,
    'x-forwarded-for': [known['x-forwarded-for'], peer].filter(Boolean).join(', '),
    'x-forwarded-proto': String(known['x-forwarded-proto'] ?? 'http'),
    'x-forwarded-host': String(known['x-forwarded-host'] ?? headers.host ?? ''),
  };
}

/**
 * Removes hop-by-hop headers, `Expect`, which has been answered, and client headers from untrusted peers. Keeps
 * `Connection` and `Upgrade` of an upgrade, and `Transfer-Encoding` of any other request.
 */
export function removeUnforwarded({ headers, socket }: IncomingMessage, trust: Trust, isUpgrade = false): void {
  const kept = isUpgrade ? ['connection', 'upgrade'] : ['transfer-encoding'];
  const listed = namesListedIn(headers.connection).filter((name) => name !== 'upgrade' || !isUpgrade);
  for (const name of [...hopByHop, ...listed]) if (!kept.includes(name)) delete headers[name];
  delete headers.expect;
  if (trust(socket.remoteAddress ?? '', 0)) return;
  for (const name of Object.keys(headers)) if (clientHeaders.test(name)) delete headers[name];
}

/** Returns the end-to-end headers of an upstream reply, as alternating names and values. */
export function endToEndHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const dropped = new Set([...hopByHop, ...namesListedIn(headers.connection)]);
  const passed: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!dropped.has(rawHeaders[i].toLowerCase())) passed.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return passed;
}

/** Returns the header names that a Connection header lists as hop-by-hop. */
function namesListedIn(connection: IncomingHttpHeaders['connection']): string[] {
  const names = connection?.toLowerCase().split(',') ?? [];
  // framing and host must never be dropped
  return names.map((name) => name.trim()).filter((name) => !/^(content-length|host|transfer-encoding)$/.test(name));
}
