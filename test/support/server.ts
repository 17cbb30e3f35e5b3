import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type Config, configSchema } from '../../src/config/config.ts';
import type { Content, OpenOptions } from '../../src/index.ts';
import { open } from '../../src/index.ts';
import { createLog } from '../../src/server/log.ts';
import { LecternServer } from '../../src/server/server.ts';
import { sha256, thingSnapshot } from './guide.ts';

/** The server of `lectern serve`, in this process. */

export interface RunningServer {
  server: LecternServer;
  port: number;
  adminPort: number;
  /** Lines of the log so far. */
  lines: Record<string, any>[];
}

const running: LecternServer[] = [];

/** Starts a server that has no content yet. Its settings are those of a config file. */
export async function startEmpty(settings: object = {}): Promise<RunningServer> {
  const config: Config = configSchema.parse({ port: 0, ...settings });
  const lines: Record<string, any>[] = [];
  const log = createLog(config.log, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = new LecternServer(config, log);
  running.push(server);
  await server.listen();
  const portOf = (address: string | null) => Number(new URL(address ?? server.address).port);
  return { server, port: portOf(null), adminPort: portOf(server.adminAddress), lines };
}

/** Starts a server with things. */
export async function start(settings: object = {}, content?: Content): Promise<RunningServer> {
  const started = await startEmpty(settings);
  started.server.serve(content ?? (await openThings()));
  return started;
}

/** Stops the servers of each test after it. */
export function stopServersAfterEach(): void {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });
}

/** Sixty public things. The token `all` has full access. */
export function openThings(options: OpenOptions = {}): Promise<Content> {
  return openEntries(
    Array.from({ length: 60 }, (_, i) => ({ documentId: `thing-${i}`, title: `Thing ${i}` })),
    options,
  );
}

/** One thing of ten megabytes and a small one. */
export function openLarge(): Promise<Content> {
  return openEntries([
    { documentId: 'small', title: 'x' },
    { documentId: 'large', title: 'x'.repeat(10 * 2 ** 20) },
  ]);
}

function openEntries(entries: object[], options: OpenOptions = {}): Promise<Content> {
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  return open(thingSnapshot({ title: { type: 'text' } }, entries), { tokens, ...options });
}

/** Sends raw bytes and returns everything received until the connection ends. */
export function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (data) => (received += data));
    socket.on('error', reject).on('close', () => resolve(received));
  });
}

/** Requests the thing of ten megabytes and reads nothing. */
export async function stall(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /api/things/large HTTP/1.1\r\nHost: a\r\n\r\n');
  return socket;
}

/** The samples of `/_metrics`, by name and labels as they are printed. */
export function samples(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
