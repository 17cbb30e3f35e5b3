/** Runs nginx with its example in front of a server with an upstream server, and with the changes of docs/users.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { blocksOf, pageAt } from '../documents/pages.ts';
import { freePort } from '../support/cli.ts';
import { untilReady } from './processes.ts';
import { ended, exampleConfig, localConfig } from './proxy.ts';

type Expect = (holds: boolean, what: string) => void;

interface Ports {
  readonly lectern: number;
  readonly admin: number;
  readonly proxy: number;
  readonly strapi: number;
}

/** `command` starts Lectern. `expect` receives the result of each check. */
export async function runProxiedUpstream(command: readonly string[], scratch: string, expect: Expect): Promise<void> {
  const strapi = await startStrapi();
  const ports: Ports = {
    lectern: await freePort(),
    admin: await freePort(),
    proxy: await freePort(),
    strapi: (strapi.address() as AddressInfo).port,
  };
  const folder = join(scratch, 'nginx-upstream');
  mkdirSync(folder);
  const config = join(folder, 'lectern.json');
  const upstream = `http://127.0.0.1:${ports.strapi}`;
  writeFileSync(config, JSON.stringify({ ...exampleConfig, port: ports.lectern, adminPort: ports.admin, upstream }));
  const lectern = spawn(command[0], [...command.slice(1), '--config', config], { stdio: 'ignore' });
  try {
    await untilReady(lectern, ports.admin);
    const [servers, intercept, fallback] = blocksOf(pageAt('docs/users.md'))
      .filter(({ language }) => language === 'nginx')
      .map(({ text }) => text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${ports.strapi}`));
    const pass = 'proxy_pass http://lectern;';
    const withUploads = (text: string) => text.replace('# client_max_body_size', 'client_max_body_size');
    const withFallback = (text: string) =>
      `${servers}\n${text.replace(pass, `${pass}\n${intercept}`).replace('server {\n    listen', `server {\n${fallback}\n    listen`)}`;
    const byReader = (text: string) => `${servers}\n${text.replace(pass, 'proxy_pass http://$reader;')}`;
    await withNginx(folder, ports, withUploads, () => checkUpstream(ports, expect));
    await withNginx(folder, ports, withFallback, async () => {
      expect((await ask(ports, 'wrong')) === 'strapi', 'Strapi answers what Lectern answers with 401');
      expect((await ask(ports)) === 'lectern', 'and Lectern all else');
    });
    await withNginx(folder, ports, byReader, async () => {
      expect((await ask(ports, 'any')) === 'strapi', 'Strapi answers readers with credentials');
      expect((await ask(ports)) === 'lectern', 'and Lectern all others');
    });
  } finally {
    await ended(lectern);
    strapi.close();
    strapi.closeAllConnections();
  }
}

async function checkUpstream({ proxy }: Ports, expect: Expect): Promise<void> {
  const address = `http://127.0.0.1:${proxy}`;
  const upload = await fetch(`${address}/api/upload`, { method: 'POST', body: Buffer.alloc(3 * 2 ** 20) });
  const received = (await upload.json()) as { bytes: number; headers: Record<string, string> };
  expect(received.bytes === 3 * 2 ** 20, 'an upload of 3 MiB gets through');
  expect(received.headers['x-forwarded-proto'] === 'http', 'with the protocol of the client');
  expect(received.headers['x-forwarded-for'].startsWith('127.0.0.1'), 'and its address');
  const countOf = async () => ((await (await fetch(`${address}/admin`)).json()) as { count: number }).count;
  const first = await countOf();
  expect(first < (await countOf()), 'the admin panel is not cached');
  const socket = connect(proxy, '127.0.0.1');
  socket.write('GET /admin HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  let answer = '';
  for await (const part of socket) {
    answer += part;
    if (answer.includes('hello')) break;
  }
  expect(/^HTTP\/1\.1 101 /.test(answer), 'WebSockets get through');
}

/** Returns who answers a list. */
async function ask({ proxy }: Ports, token?: string): Promise<'strapi' | 'lectern'> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${proxy}/api/articles`, { headers });
  await answer.arrayBuffer();
  return answer.headers.has('X-Strapi') ? 'strapi' : 'lectern';
}

/** Starts a server that describes each request in its reply, and says hello to WebSockets. */
async function startStrapi(): Promise<Server> {
  let count = 0;
  const server = createServer(async (request, response) => {
    let bytes = 0;
    for await (const part of request) bytes += (part as Buffer).length;
    response.setHeader('X-Strapi', 'yes');
    response.setHeader('Cache-Control', 'public, max-age=60');
    response.end(JSON.stringify({ count: ++count, bytes, headers: request.headers }));
  });
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Runs nginx with a changed example. */
async function withNginx(
  folder: string,
  { lectern, proxy }: Ports,
  change: (example: string) => string,
  run: () => Promise<void>,
): Promise<void> {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, localConfig(folder, lectern, proxy, change));
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-g', 'daemon off;'], { stdio: 'inherit' });
  try {
    while (!(await fetch(`http://127.0.0.1:${proxy}/_health`).catch(() => null))) {
      if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await run();
  } finally {
    await ended(nginx);
  }
}
