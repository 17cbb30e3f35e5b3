import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type OpenedPublication, openPublication } from '../../src/publication/open-publication.ts';
import { PublicationError } from '../../src/publication/publication.ts';
import type { Environment } from '../../src/publication/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';
import { waitFor } from '../support/wait.ts';
import { changeAt, headAt, stateAt } from './contents.ts';
import { startRedis, type TestServer } from './redis-server.ts';

const images = temporaryFolder('lectern-images-');
const password = 'Pa55word-of-the-server';
const wrongPassword = 'Pa55word-that-is-wrong';
/** Every message of an error and of the log. */
const messages: string[] = [];
const servers: TestServer[] = [];
const opened: OpenedPublication[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  for (const each of servers.splice(0)) await each.stop();
});

afterAll(() => {
  expect(messages.length).toBeGreaterThan(20);
  for (const message of messages) expect(message).not.toContain('Pa55word');
});

async function start(options: Parameters<typeof startRedis>[0] = {}): Promise<TestServer> {
  const server = await startRedis(options);
  servers.push(server);
  return server;
}

async function open(to: string, environment: Environment = {}, name = 'site', isPublisher = true) {
  const log = (warning: string) => void messages.push(warning);
  const each = await openPublication({ to, name, images, isPublisher }, environment, log);
  opened.push(each);
  return each.publication;
}

/** Returns the PublicationError of a call. */
async function errorOf(call: Promise<unknown>): Promise<PublicationError> {
  const error = await call.then(
    () => new Error('no error'),
    (thrown) => thrown,
  );
  for (let each = error; each instanceof Error; each = each.cause) messages.push(each.message, String(each.stack));
  expect(error).toBeInstanceOf(PublicationError);
  expect(error.message).not.toMatch(/\n/);
  return error;
}

async function messageOf(call: Promise<unknown>): Promise<string> {
  return (await errorOf(call)).message;
}

function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, text);
  return path;
}

const credentials = 'LECTERN_REDIS_USERNAME and LECTERN_REDIS_PASSWORD (or LECTERN_REDIS_PASSWORD_FILE)';

test('a password comes from a variable or from a file, and is needed', async () => {
  const server = await start({
    settings: ['--requirepass', password],
    url: (port) => `redis://:${password}@127.0.0.1:${port}`,
  });
  const address = `redis://127.0.0.1:${server.port}/0`;
  expect(await (await open(address, { LECTERN_REDIS_PASSWORD: password })).readHead()).toBeNull();
  for (const text of [password, `${password}\n`, `${password}\r\n`]) {
    expect(await (await open(address, { LECTERN_REDIS_PASSWORD_FILE: fileWith(text) })).readHead()).toBeNull();
  }
  expect(await messageOf(open(address))).toMatch(`${address} needs a password: set ${credentials}`);
  expect(await messageOf(open(address, { LECTERN_REDIS_PASSWORD: wrongPassword }))).toMatch(
    `${address} refuses the user or the password: check ${credentials}`,
  );
  expect(await messageOf(open(address, { LECTERN_REDIS_PASSWORD_FILE: fileWith(wrongPassword) }))).toMatch(
    'refuses the user or the password',
  );
  const other = { LECTERN_REDIS_USERNAME: 'nobody', LECTERN_REDIS_PASSWORD: password };
  expect(await messageOf(open(address, other))).toMatch('refuses the user or the password');
});

test('a password that the file has since the start is used when the connection is made again', async () => {
  const server = await start();
  await server.client.sendCommand(['ACL', 'SETUSER', 'site', 'on', `>${password}`, '~*', '+@all']);
  const file = fileWith(password);
  const publication = await open(server.url, { LECTERN_REDIS_USERNAME: 'site', LECTERN_REDIS_PASSWORD_FILE: file });
  await server.client.sendCommand(['ACL', 'SETUSER', 'site', `<${password}`, `>${password}-2`]);
  writeFileSync(file, `${password}-2`);
  await server.client.sendCommand(['CLIENT', 'KILL', 'USER', 'site']);
  await waitFor(async () => expect(await publication.readHead()).toBeNull());
  writeFileSync(file, wrongPassword);
  await server.client.sendCommand(['CLIENT', 'KILL', 'USER', 'site']);
  await waitFor(async () => {
    expect(await messageOf(publication.readHead())).toMatch('refuses the user or the password');
  });
});

test('a password for a server without one is named', async () => {
  const server = await start();
  expect(await messageOf(open(server.url, { LECTERN_REDIS_PASSWORD: wrongPassword }))).toMatch(
    `${server.url} has no password for this user: check ${credentials}`,
  );
});

test.each<[Environment, RegExp]>([
  [
    { LECTERN_REDIS_PASSWORD_FILE: '/missing/password' },
    /cannot read the file of LECTERN_REDIS_PASSWORD_FILE: ENOENT.*'\/missing\/password'/,
  ],
  [{ LECTERN_REDIS_PASSWORD_FILE: fileWith('\n') }, /the file of LECTERN_REDIS_PASSWORD_FILE is empty/],
  [
    { LECTERN_REDIS_PASSWORD: password, LECTERN_REDIS_PASSWORD_FILE: '/missing' },
    /^set either LECTERN_REDIS_PASSWORD or LECTERN_REDIS_PASSWORD_FILE, not both$/,
  ],
  [{ LECTERN_REDIS_USERNAME: 'site' }, /^LECTERN_REDIS_USERNAME is set, but neither LECTERN_REDIS_PASSWORD nor/],
  [{ LECTERN_REDIS_CA_FILE: '/missing/ca' }, /cannot read the certificates of LECTERN_REDIS_CA_FILE: ENOENT/],
])('%o is refused before any connection', async (environment, message) => {
  expect(await messageOf(open('redis://127.0.0.1:9', environment))).toMatch(message);
});

test.each([`redis://site:${password}@127.0.0.1:9`, `redis://:${password}@127.0.0.1:x`, `redis://${password}@[`])(
  'an address with a password is refused without showing it',
  async (address) => {
    await messageOf(open(address));
  },
);

/** Makes an authority, and a certificate that it has signed for a host. */
function makeCertificates(host: string): { ca: string; certificate: string; key: string } {
  const folder = temporaryFolder('lectern-certificates-');
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });
  const fresh = ['-newkey', 'rsa:2048', '-nodes'];
  const authority = ['-keyout', path('ca.key'), '-out', path('ca.crt'), '-subj', '/CN=authority'];
  openssl('req', '-x509', ...fresh, '-days', '2', ...authority);
  openssl('req', ...fresh, '-keyout', path('server.key'), '-out', path('server.csr'), '-subj', '/CN=server');
  writeFileSync(path('extensions'), `subjectAltName=${host}`);
  const signing = ['-CA', path('ca.crt'), '-CAkey', path('ca.key'), '-CAcreateserial', '-days', '2'];
  const certificate = ['-in', path('server.csr'), '-out', path('server.crt'), '-extfile', path('extensions')];
  openssl('x509', '-req', ...signing, ...certificate);
  return { ca: path('ca.crt'), certificate: path('server.crt'), key: path('server.key') };
}

function startWithTls(host: string): Promise<TestServer & { ca: string }> {
  const { ca, certificate, key } = makeCertificates(host);
  const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', ca];
  const settings = ['--port', '0', '--tls-port', 'PORT', '--tls-auth-clients', 'no', ...files];
  const url = (port: number) => `rediss://localhost:${port}`;
  return start({ settings, url, ca: readFileSync(ca) }).then((server) => ({ ...server, ca }));
}

test('TLS with a certificate of a private authority', async () => {
  const { port, ca } = await startWithTls('IP:127.0.0.1,DNS:localhost');
  for (const scheme of ['rediss', 'valkeys']) {
    const publication = await open(`${scheme}://127.0.0.1:${port}`, { LECTERN_REDIS_CA_FILE: ca }, scheme);
    expect(await publication.appendIf(null, headAt(0))).toBeNull();
    expect(await publication.readHead()).toEqual(headAt(0));
  }
  expect(await messageOf(open(`rediss://127.0.0.1:${port}`))).toMatch(
    /^rediss:\/\/127\.0\.0\.1:\d+ has a certificate that is not trusted: set LECTERN_REDIS_CA_FILE to the certificate of the authority that signed it \(/,
  );
  const other = makeCertificates('IP:127.0.0.1').ca;
  expect(await messageOf(open(`rediss://127.0.0.1:${port}`, { LECTERN_REDIS_CA_FILE: other }))).toMatch(
    /has a certificate that is not trusted/,
  );
  expect(await messageOf(open(`redis://127.0.0.1:${port}`))).toMatch(
    /ended the connection.*A server with TLS needs rediss:\/\/ or valkeys:\/\/$/,
  );
  const noCertificate = open(`rediss://127.0.0.1:${port}`, { LECTERN_REDIS_CA_FILE: fileWith('none') });
  expect(await messageOf(noCertificate)).toMatch(/LECTERN_REDIS_CA_FILE/);
});

test('a certificate for another host is refused', async () => {
  const { port, ca } = await startWithTls('DNS:localhost');
  expect(await messageOf(open(`rediss://127.0.0.1:${port}`, { LECTERN_REDIS_CA_FILE: ca }))).toMatch(
    /has a certificate for other names \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
  );
});

test('TLS to a server without it is named', async () => {
  const { port } = await start();
  expect(await messageOf(open(`rediss://127.0.0.1:${port}`))).toMatch(
    /Is it a server without TLS, for redis:\/\/ or valkey:\/\/\?$/,
  );
});

/** Starts something that is no Redis, until the end of the test. */
async function listen(listener: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    listener(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  } as TestServer);
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a server that is no Redis is named', async () => {
  const web = createHttpServer().listen(0, '127.0.0.1');
  await once(web, 'listening');
  const { port } = web.address() as AddressInfo;
  expect(await messageOf(open(`redis://127.0.0.1:${port}`))).toMatch(
    /is no Redis or Valkey: its answer is another protocol/,
  );
  web.close().closeAllConnections();
  const greeting = await listen((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
  expect(await messageOf(open(greeting))).toMatch(/is no Redis or Valkey: its answer is another protocol/);
  const closing = await listen((socket) => socket.end());
  expect(await messageOf(open(closing))).toMatch(/ended the connection/);
});

test('a server that says nothing is given up', async () => {
  const address = await listen((socket) => socket.resume());
  expect(await messageOf(open(address))).toMatch(`${address} fails: no answer within 5 s`);
}, 20_000);

test('a port that nobody listens at, and a host that does not exist, are named', async () => {
  expect(await messageOf(open('redis://127.0.0.1:9/0'))).toBe(
    'redis://127.0.0.1:9/0 refuses connections (ECONNREFUSED)',
  );
  expect(await messageOf(open('redis://host.invalid/0'))).toMatch(/^redis:\/\/host\.invalid\/0 is not found: /);
}, 20_000);

test('a database that the server does not have is named', async () => {
  const server = await start();
  expect(await messageOf(open(server.url.replace(/0$/, '99')))).toMatch(
    /\/99 answers with an error: ERR .*out of range/,
  );
});

test.each(['head', 'log', 'wake', 'parts', 'members'])('the key %s of another program is named', async (key) => {
  const server = await start();
  const full = `{lectern:site}:${key}`;
  await server.client.set(full, 'text');
  expect(await messageOf(open(server.url))).toBe(
    `the key ${full} holds data of another program: publish under another name`,
  );
  expect(await server.client.get(full)).toBe('text');
});

test('a hash of another program in place of the head is refused, and not replaced', async () => {
  const server = await start();
  const publication = await open(server.url);
  await server.client.hSet('{lectern:site}:head', 'key', 'value');
  for (const call of [() => open(server.url), () => publication.appendIf(null, headAt(0))]) {
    expect(await messageOf(call())).toMatch(
      /^the key \{lectern:site\}:head: not written by Lectern: it has no field "format"/,
    );
  }
  expect(await server.client.hGetAll('{lectern:site}:head')).toEqual({ key: 'value' });
});

test('a head of a newer format is refused, and not replaced', async () => {
  const server = await start();
  const publication = await open(server.url);
  await publication.appendIf(null, headAt(0));
  await server.client.hSet('{lectern:site}:head', 'format', '2');
  const append = () => publication.appendIf(stateAt(0), headAt(1), [changeAt(1)]);
  for (const call of [
    () => open(server.url),
    append,
    () => publication.appendIf(null, headAt(5, { imageSequence: 5 })),
  ]) {
    expect(await messageOf(call())).toMatch(
      /head: written by a newer version of Lectern, in format 2; this version reads 1\. Update replicas before/,
    );
  }
  expect(await server.client.xLen('{lectern:site}:log')).toBe(0);
});

test('a change of a newer format ends what is read', async () => {
  const server = await start();
  const publication = await open(server.url);
  await publication.appendIf(null, headAt(0));
  await publication.appendIf(stateAt(0), headAt(1), [changeAt(1)]);
  const fields = { format: '2', before: stateAt(1).digest, after: stateAt(2).digest, changes: '[]' };
  await server.client.xAdd('{lectern:site}:log', '1-2', fields);
  expect((await publication.readFrom(stateAt(0), { wait: 0 })).changes).toEqual([changeAt(1)]);
});

test.each([
  ['allkeys-lru', true],
  ['allkeys-random', true],
  ['volatile-lru', false],
  ['noeviction', false],
])('the policy %s warns: %s', async (policy, isWarned) => {
  const server = await start({ settings: ['--maxmemory-policy', policy] });
  const before = messages.length;
  await open(server.url);
  expect(messages.slice(before)).toEqual(
    isWarned
      ? [
          `${server.url} may remove what is published when its memory is full: its maxmemory-policy is "${policy}". ` +
            'Set it to "noeviction", or use a server of its own',
        ]
      : [],
  );
});

test('the policy is found where CONFIG is not allowed, and its lack is no error', async () => {
  const server = await start({ settings: ['--maxmemory-policy', 'allkeys-lru'] });
  const environment = { LECTERN_REDIS_USERNAME: 'site', LECTERN_REDIS_PASSWORD: password };
  for (const [rules, count] of [
    [['-config'], 1],
    [['-config', '-info'], 0],
  ] as const) {
    await server.client.sendCommand(['ACL', 'SETUSER', 'site', 'reset', 'on', `>${password}`, '~*', '+@all', ...rules]);
    const before = messages.length;
    await open(server.url, environment);
    expect(messages.length - before).toBe(count);
  }
});

test('an append that does not fit into the memory of the server is not done', async () => {
  const server = await start();
  const publication = await open(server.url);
  await publication.appendIf(null, headAt(0));
  await server.client.configSet('maxmemory', '1');
  for (const changes of ['small', 'x'.repeat(3_000_000)]) {
    const error = await errorOf(publication.appendIf(stateAt(0), headAt(1), [changeAt(1, changes)]));
    expect(error.message).toMatch(/has no memory left \(maxmemory\)/);
    expect(error.outcome).toBe('none');
  }
  await server.client.configSet('maxmemory', '0');
  expect(await publication.readHead()).toEqual(headAt(0));
  expect(await server.client.keys('*:part:*')).toEqual([]);
});

test('a server that is a replica of another takes no append', async () => {
  const server = await start();
  const publication = await open(server.url);
  await server.client.sendCommand(['REPLICAOF', '127.0.0.1', '9']);
  const error = await errorOf(publication.appendIf(null, headAt(0)));
  expect(error.message).toMatch(
    /only reads, because it is a replica of another server: use the address of the primary/,
  );
  expect(error.outcome).toBe('none');
});
