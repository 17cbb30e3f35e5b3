import type { Duplex } from 'node:stream';

/** Connections that are no longer parsed. */
const endedConnections = new WeakSet<Duplex>();

/**
 * A connection with the parser that Node's HTTP server attaches. The property is undocumented. Without it, the
 * remaining bytes are parsed and the resulting requests are ignored.
 */
interface ParsedConnection extends Duplex {
  parser?: { onIncoming?: unknown } | null;
}

/**
 * Stops parsing a connection, including bytes that have already arrived. Node reads up to 64 KiB at a time, enough for
 * two thousand requests, and emits all of them in one go. The caller must end the connection.
 */
export function endReading(connection: ParsedConnection): void {
  endedConnections.add(connection);
  // a return value outside 0 to 2 is a parser error, which stops the parser
  if (connection.parser?.onIncoming) connection.parser.onIncoming = () => -1;
}

/** Whether `endReading` was called for a connection. Later parser errors are then not the client's. */
export function hasEndedReading(connection: Duplex): boolean {
  return endedConnections.has(connection);
}

/** Whether Node's HTTP server reads from a connection. It does not after CONNECT and upgrades. */
export function hasParser(connection: ParsedConnection): boolean {
  return Boolean(connection.parser);
}
