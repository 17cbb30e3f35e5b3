import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { Content, JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { type Config, configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { LecternServer } from '../../src/server/server.ts';
import { sha256, thingSnapshot } from './guide.ts';
import { askServer } from './http.ts';
import { openShared } from './open-shared.ts';
import { serveContent } from './serve-content.ts';

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
  serveContent(started.server, content ?? (await openThings()));
  return started;
}

/** Stops all servers that were started. */
export async function stopServers(): Promise<void> {
  await Promise.all(running.splice(0).map((server) => server.stop()));
}

/** Stops the servers of each test after it. */
export function stopServersAfterEach(): void {
  afterEach(stopServers);
}

/** Sixty public things. The token `all` has full access. */
export function openThings(options: OpenOptions = {}): Promise<Content> {
  const entries = Array.from({ length: 60 }, (_, i) => ({ documentId: `thing-${i}`, title: `Thing ${i}` }));
  return openShared(thingsWith(entries), { tokens, ...options });
}

/** One thing of ten megabytes and a small one. */
export function openLarge(): Promise<Content> {
  const large = { documentId: 'large', title: 'x'.repeat(10 * 2 ** 20) };
  return openShared(thingsWith([{ documentId: 'small', title: 'x' }, large]), { tokens });
}

const tokens: OpenOptions['tokens'] = [{ name: 'all', sha256: sha256('all'), type: 'full-access' }];

function thingsWith(entries: object[]): JsonSnapshot {
  return thingSnapshot({ title: { type: 'text' } }, entries);
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

/**
 * Requests the thing of ten megabytes and reads nothing. The system may take a whole reply into its own buffers (some take
 * 36 MiB), so a test that needs one that is not sent requests several.
 */
export async function stall(port: number, requests = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /api/things/large HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
  return socket;
}

/** The samples of `/_metrics`, by name and labels as they are printed. */
export function samples(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The value of a metric, or 0. */
export async function metric(port: number, name: string): Promise<number> {
  return samples((await askServer(port, '/_metrics')).body.toString()).get(name) ?? 0;
}

/** Waits until a condition holds. The time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
