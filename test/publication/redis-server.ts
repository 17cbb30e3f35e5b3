/** Starts the `redis-server` of the machine, or the program that REDIS_SERVER names, for the tests of one file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient } from '@redis/client';
import { temporaryFolder } from '../support/folders.ts';
import { waitFor } from '../support/wait.ts';

const program = process.env.REDIS_SERVER ?? 'redis-server';

export interface TestServer {
  readonly port: number;
  readonly url: string;
  readonly client: ReturnType<typeof clientFor>;
  stop(): Promise<void>;
}

interface ServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly settings?: readonly string[];
  /** How the test itself connects, if that is not by the port. */
  readonly url?: (port: number) => string;
  readonly ca?: Buffer;
}

/** Starts a server that keeps nothing on disk. */
export async function startRedis({ port: given, settings = [], url, ca }: ServerOptions = {}): Promise<TestServer> {
  checkProgram();
  const port = given ?? (await freePort());
  const folder = temporaryFolder('lectern-redis-');
  const args = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  const listens = settings.some((each) => each.startsWith('--tls-port')) ? [] : ['--port', String(port)];
  const others = settings.map((each) => each.replaceAll('PORT', String(port)));
  const server = spawn(program, [...args, ...listens, ...others], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text));
  await waitFor(() => {
    if (server.exitCode !== null) throw new Error(`redis-server ended: ${output}`);
    if (!output.includes('Ready to accept connections')) throw new Error(`redis-server is not ready: ${output}`);
  });
  const address = url?.(port) ?? `redis://127.0.0.1:${port}`;
  const client = clientFor(address, ca);
  client.on('error', () => {});
  await client.connect();
  return {
    port,
    url: `redis://127.0.0.1:${port}/0`,
    client,
    stop: async () => {
      client.destroy();
      await end(server);
    },
  };
}

function clientFor(url: string, ca: Buffer | undefined) {
  return createClient({ url, RESP: 2, socket: ca && { tls: true, ca } });
}

function checkProgram(): void {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
  } catch {
    throw new Error(
      `these tests need ${program}: run "apt-get install redis-server", or name its program in REDIS_SERVER`,
    );
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill('SIGKILL');
  await once(server, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
