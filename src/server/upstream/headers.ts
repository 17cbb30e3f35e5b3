/** Headers between client and upstream server. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Trust } from '../client-address.ts';

/** Headers that concern one connection only. Node writes its own. */
const hopByHop = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** What proxies write about the client. From others these are not believed, and not passed on. */
const aboutClient = /^(x-forwarded-.*|forwarded|x-real-ip)$/;

/**
 * Returns the headers that tell the upstream server about the client, and its own name as Host. A trusted proxy's
 * headers are extended, anybody else's are replaced: Strapi believes the first address in `X-Forwarded-For`.
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
 * Removes what is not passed on: headers of the connection, `Expect`, which has been answered, and headers about the
 * client that nobody trusted wrote. A request that upgrades its connection says so upstream, too; a body that comes in
 * chunks goes on in chunks.
 */
export function removeUnpassed({ headers, socket }: IncomingMessage, trust: Trust, isUpgrade = false): void {
  const kept = isUpgrade ? ['connection', 'upgrade'] : ['transfer-encoding'];
  const listed = listedIn(headers.connection).filter((name) => name !== 'upgrade' || !isUpgrade);
  for (const name of [...hopByHop, ...listed]) if (!kept.includes(name)) delete headers[name];
  delete headers.expect;
  if (trust(socket.remoteAddress ?? '', 0)) return;
  for (const name of Object.keys(headers)) if (aboutClient.test(name)) delete headers[name];
}

/** The headers of an upstream reply that are for the client, as names and values in turn. */
export function endToEnd({ rawHeaders, headers }: IncomingMessage): string[] {
  const dropped = new Set([...hopByHop, ...listedIn(headers.connection)]);
  const passed: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!dropped.has(rawHeaders[i].toLowerCase())) passed.push(rawHeaders[i], rawHeaders[i + 1]);
  }
  return passed;
}

/** The names that a Connection header declares to be of the connection. */
function listedIn(connection: IncomingHttpHeaders['connection']): string[] {
  const names = connection?.toLowerCase().split(',') ?? [];
  // these say how the message is framed and whom it is for, whoever lists them
  return names.map((name) => name.trim()).filter((name) => !/^(content-length|host|transfer-encoding)$/.test(name));
}
