/**
 * Everything that the server knows about the inside of Node and V8. A test checks each function with the Node that runs
 * it.
 */
import { executionAsyncResource } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A connection of Node's HTTP server, with its undocumented properties. */
interface HttpConnection extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { onIncoming?: unknown } | null;
}

/** Returns the response that is next in order on a connection, whether or not it has been written. */
export function currentResponse(connection: HttpConnection): ServerResponse | null | undefined {
  return connection._httpMessage;
}

/** Connections that are no longer parsed. */
const endedConnections = new WeakSet<Duplex>();

/**
 * Stops parsing a connection, including bytes that have already arrived. Node reads up to 64 KiB at a time, enough for
 * two thousand requests, and emits all of them in one go. The caller must end the connection.
 */
export function endReading(connection: HttpConnection): void {
  endedConnections.add(connection);
  // a return value outside 0 to 2 is a parser error, which stops the parser
  if (connection.parser?.onIncoming) connection.parser.onIncoming = () => -1;
}

/** Whether `endReading` was called for a connection. Later parser errors are then not the client's. */
export function hasEndedReading(connection: Duplex): boolean {
  return endedConnections.has(connection);
}

/**
 * Lets a connection be read as a stream after CONNECT or an upgrade. Node's HTTP server reads from the handle below the
 * stream, which would wait for ever for the end of that read.
 */
export function readAsStream(connection: Duplex): void {
  connection.push('');
}

const keptTicks: object[] = [];

/**
 * Keeps one of the objects that Node creates for every tick, about five per request. V8 holds their hidden class weakly
 * and can collect it while no tick is pending, for example while a snapshot is loading. Code that was optimised for the
 * class is then never optimised for it again, and each tick takes four to eight times as long. Call it before loading.
 */
export function keepTick(): void {
  process.nextTick(() => keptTicks.push(executionAsyncResource()));
}

type Collect = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

let collect: Collect | undefined;

/**
 * Frees the memory of content that is no longer served. V8 does not see how much its small objects hold: without this,
 * the next reload needs the memory of a third content. Takes 10 to 40 ms.
 */
export async function collectGarbage(): Promise<void> {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  await collect({ type: 'major', execution: 'async' });
}
