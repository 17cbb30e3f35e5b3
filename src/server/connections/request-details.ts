import { randomBytes } from 'node:crypto';
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

/** Accepts ids of common proxies. Rejects control characters and long values, which could corrupt or fill the log. */
const acceptable = /^[\x21-\x7e]{1,128}$/;

/** What only the server knows of a request. */
export interface RequestDetails {
  idOf(request: IncomingMessage): string;
  addressOf(request: IncomingMessage): string | undefined;
  /** Whether the client's connection is encrypted, as a trusted proxy says. */
  isEncrypted(request: IncomingMessage): boolean;
}

/** Returns the details of requests. Only trusted proxies give an id and the addresses of their clients. */
export function requestDetails(trust: Trust): RequestDetails {
  const ids = new RequestIds(({ socket }) => trust(socket.remoteAddress ?? '', 0));
  return {
    idOf: (request) => ids.of(request),
    addressOf: (request) => clientAddress(request, trust),
    isEncrypted: (request) => isEncrypted(request, trust),
  };
}

/** Takes the first of several protocols, which is that of the client. */
function isEncrypted({ headers, socket }: IncomingMessage, trust: Trust): boolean {
  const [protocol] = String(headers['x-forwarded-proto'] ?? '').split(',', 1);
  return protocol.trim().toLowerCase() === 'https' && trust(socket.remoteAddress ?? '', 0);
}

/** Assigns an id to each logged request: the `X-Request-Id` of a trusted proxy, or a generated id. */
class RequestIds {
  readonly #isTrusted: (request: IncomingMessage) => boolean;
  readonly #known = new WeakMap<IncomingMessage, string>();
  /** Random per process, so that ids of several processes in one log differ. */
  readonly #process = randomBytes(4).toString('hex');
  #count = 0;

  constructor(isTrusted: (request: IncomingMessage) => boolean) {
    this.#isTrusted = isTrusted;
  }

  /** Returns the id of a request. Always the same for one request. */
  of(request: IncomingMessage): string {
    let id = this.#known.get(request);
    if (id === undefined) {
      id = this.#forwardedId(request) ?? `${this.#process}-${(++this.#count).toString(36)}`;
      this.#known.set(request, id);
    }
    return id;
  }

  #forwardedId(request: IncomingMessage): string | null {
    const { 'x-request-id': given } = request.headers;
    return typeof given === 'string' && acceptable.test(given) && this.#isTrusted(request) ? given : null;
  }
}
