import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyaddr from 'proxy-addr';

/** Whether the address at a hop is a trusted proxy. The signature is that of `proxyaddr.compile`. */
export type Trust = (address: string, hop: number) => boolean;

/**
 * Returns the address of the client: the first that is not a trusted proxy, from the connection backwards through
 * `X-Forwarded-For`. Strips a port after the address. If an item is not an address, such as `unknown`, returns the
 * proxy that wrote it. Returns undefined if the connection is closed.
 */
export function clientAddress(request: IncomingMessage, trust: Trust): string | undefined {
  const [peer, ...forwarded] = proxyaddr.all(request);
  if (!peer) return undefined;
  let client = peer;
  for (const [hop, text] of forwarded.entries()) {
    const address = bareAddress(text);
    if (address === null || !trust(client, hop)) break;
    client = address;
  }
  return client;
}

/** Returns the address in `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]` or `[::1]:80`, or null for any other text. */
function bareAddress(text: string): string | null {
  const { v6, v4 } = /^\[(?<v6>[^\]]*)\](?::\d+)?$|^(?<v4>[\d.]+):\d+$/.exec(text.trim())?.groups ?? {};
  const address = v6 ?? v4 ?? text.trim();
  const isVersion6InBrackets = v6 === undefined || isIP(address) === 6;
  return isIP(address) !== 0 && isVersion6InBrackets ? address : null;
}
