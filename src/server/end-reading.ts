import type { Duplex } from 'node:stream';

/** Connections of which nothing more is read. */
const ended = new WeakSet<Duplex>();

/**
 * What Node's HTTP server attaches to a connection. Node does not document it; without it the rest of the bytes is
 * parsed, and what is found there is ignored.
 */
interface ParsedConnection extends Duplex {
  parser?: { onIncoming?: unknown } | null;
}

/**
 * Ends the parsing of a connection, the bytes that have arrived included. Node reads up to 64 KiB at a time, which hold
 * two thousand requests, and hands all of them over before anything else can be done. The caller ends the connection.
 */
export function endReading(connection: ParsedConnection): void {
  ended.add(connection);
  // a number other than 0 to 2 is an error of the parser, which stops there
  if (connection.parser?.onIncoming) connection.parser.onIncoming = () => -1;
}

/** Whether `endReading` was called for a connection: what its parser says since then is no mistake of the client. */
export function hasEndedReading(connection: Duplex): boolean {
  return ended.has(connection);
}

/** Whether Node's HTTP server reads from a connection: no longer after CONNECT and upgrades. */
export function hasParser(connection: ParsedConnection): boolean {
  return Boolean(connection.parser);
}
