import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.ts';
import { createListener } from '../http/app.ts';
import { open } from '../index.ts';
import { counted, Failure, printWarnings, seconds } from './report.ts';

/** Within these, in milliseconds, a client sends its header and its whole request: half-open sockets do not pile up. */
const headersTimeout = 10_000;
const requestTimeout = 30_000;

/** How long, in milliseconds, requests under way may take to finish when the server is told to stop. */
const graceTime = 10_000;

/** Loads a snapshot and serves it until a signal ends the process. */
export async function serve(snapshot: string, { $schema: _, host, port, ...options }: Config): Promise<void> {
  const content = await open(snapshot, options);
  const { summary } = content;
  printWarnings(summary.warnings);

  const server = createServer({ headersTimeout, requestTimeout }, createListener(content));
  await listen(server, host, port);
  stopOnSignal(server);

  const entries = summary.types.reduce((total, type) => total + type.entries, 0);
  const what = `${counted(entries, 'entry', 'entries')} of ${counted(summary.types.length, 'content type')}`;
  const loaded = `loaded in ${seconds(summary.loadMilliseconds)}`;
  console.log(`Lectern serves ${what} (${summary.dialect} dialect) at ${addressOf(server)} - ${loaded}`);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Failure(listenProblem(error, host, port))));
    server.listen({ host, port }, () => resolve());
  });
}

function listenProblem(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use: choose another with --port`;
    case 'EACCES':
      return `port ${port} of ${host} may not be used by this user: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with --host`;
    default:
      return `cannot listen on port ${port} of ${host}: ${error.message}`;
  }
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
}

/** SIGTERM and SIGINT let requests under way finish, and exit with 0; a second signal does not wait. */
function stopOnSignal(server: Server): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(0);
    stopping = true;
    server.close(() => process.exit(0));
    // a connection that was busy when the server closed is idle later
    setInterval(() => server.closeIdleConnections(), 50);
    setTimeout(() => server.closeAllConnections(), graceTime);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}
