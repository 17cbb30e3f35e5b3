/** One reply of the server, with what it took. */

/** Who asks. The token is kept in the memory of the page only. */
export interface Credentials {
  readonly token: string;
  /** The role to read as. Empty: the caller's own. */
  readonly role: string;
}

export interface Fetched {
  readonly address: string;
  readonly status: number;
  readonly text: string;
  /** The parsed text. Undefined if it is not JSON. */
  readonly value: unknown;
  /** The length of the body before compression. */
  readonly bytes: number;
  /** From the request until the body is here. */
  readonly milliseconds: number;
}

/** Returns the headers that say who asks. */
export function headersOf({ token, role }: Credentials): Record<string, string> {
  return {
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
    ...(role !== '' && { 'X-Lectern-Role': role }),
  };
}

/** Requests an address of this server. `isFresh` has the server confirm what the browser has in its cache. */
export async function fetchReply(
  address: string,
  credentials: Credentials,
  signal: AbortSignal,
  isFresh: boolean,
): Promise<Fetched> {
  const start = performance.now();
  const cache = isFresh ? 'no-cache' : 'default';
  const response = await fetch(address, { headers: headersOf(credentials), signal, cache });
  const body = await response.arrayBuffer();
  const milliseconds = performance.now() - start;
  const text = new TextDecoder().decode(body);
  const { status } = response;
  return { address, status, text, value: parse(text), bytes: body.byteLength, milliseconds };
}

/** Returns undefined for a text that is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
