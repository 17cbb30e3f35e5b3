import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type OpenedPublication, openPublication } from '../../src/publication/open-publication.ts';
import { PublicationError } from '../../src/publication/publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { waitFor } from '../support/wait.ts';
import { changeAt, headAt, stateAt } from './contents.ts';
import { startRedis, type TestServer } from './redis-server.ts';

const images = temporaryFolder('lectern-images-');
let server: TestServer;
let proxy: TcpProxy;
let opened: OpenedPublication;

beforeAll(async () => {
  server = await startRedis();
});

afterEach(async () => {
  await opened.close();
  await proxy.close();
});

afterAll(async () => {
  await server.stop();
});

/** Opens a name over a proxy, with a log that has one change. */
async function open(name: string): Promise<OpenedPublication['publication']> {
  proxy = await TcpProxy.to(server.port);
  const to = `redis://127.0.0.1:${proxy.port}/0`;
  opened = await openPublication({ to, name, images, isPublisher: true }, {}, () => {});
  await opened.publication.appendIf(null, headAt(0));
  await opened.publication.appendIf(stateAt(0), headAt(1), [changeAt(1)]);
  return opened.publication;
}

/** Returns the head past the proxy. */
async function presentVersion(name: string): Promise<string | null> {
  return server.client.hGet(`{lectern:${name}}:head`, 'sequence');
}

async function errorOf(call: Promise<unknown>): Promise<PublicationError> {
  const error = await call.then(
    () => new Error('no error'),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PublicationError);
  expect(error.message).toContain(`redis://127.0.0.1:${proxy.port}/0 `);
  return error;
}

test('an append whose answer is lost has an unknown outcome, and is done', async () => {
  const publication = await open('swallowed');
  proxy.inspect = (_data, sender) => sender === 'client';
  const error = await errorOf(publication.appendIf(stateAt(1), headAt(2), [changeAt(2)]));
  expect(error.message).toMatch(/fails: no answer within 5 s$/);
  expect(error.outcome).toBe('unknown');
  expect(await presentVersion('swallowed')).toBe('2');
  proxy.inspect = null;
  await waitFor(async () => expect(await publication.readHead()).toEqual(headAt(2)));
  expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toEqual({ head: headAt(2) });
}, 30_000);

test('an append that never arrives has an unknown outcome, and is not done', async () => {
  const publication = await open('held');
  proxy.inspect = (_data, sender) => sender === 'server';
  const error = await errorOf(publication.appendIf(stateAt(1), headAt(2), [changeAt(2)]));
  expect(error.outcome).toBe('unknown');
  expect(await presentVersion('held')).toBe('1');
  proxy.inspect = null;
  await waitFor(async () => expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toBeNull());
}, 30_000);

test('an append during which the connection ends has an unknown outcome, at once', async () => {
  const publication = await open('ended');
  proxy.inspect = (_data, sender, client) => {
    if (sender === 'server') client.destroy();
    return sender === 'client';
  };
  const started = performance.now();
  const error = await errorOf(publication.appendIf(stateAt(1), headAt(2), [changeAt(2)]));
  expect(error.outcome).toBe('unknown');
  expect(performance.now() - started).toBeLessThan(4_000);
  expect(await presentVersion('ended')).toBe('2');
});

test('a large change whose parts cannot be written is not done', async () => {
  const publication = await open('parts');
  let bytes = 0;
  proxy.inspect = (data, sender, client) => {
    if (sender === 'client') bytes += data.length;
    if (bytes > 2_000_000) client.destroy();
    return true;
  };
  const error = await errorOf(publication.appendIf(stateAt(1), headAt(2), [changeAt(2, 'x'.repeat(4_000_000))]));
  expect(error.outcome).toBe('none');
  proxy.inspect = null;
  await waitFor(async () => expect(await publication.readHead()).toEqual(headAt(1)));
  for (const key of await server.client.keys('{lectern:parts}:part:*')) {
    expect(await server.client.ttl(key)).toBeGreaterThan(0);
  }
});

test('while the server is away, calls fail at once; afterwards they succeed', async () => {
  const publication = await open('away');
  await proxy.refuse();
  await waitFor(async () => {
    expect((await errorOf(publication.readHead())).message).toMatch(/refuses connections \(ECONNREFUSED\)$/);
  });
  const started = performance.now();
  for (const call of [
    () => publication.appendIf(stateAt(1), headAt(2), [changeAt(2)]),
    () => publication.readFrom(stateAt(1), { wait: 30_000 }),
    () => opened.presence.members(),
  ]) {
    expect((await errorOf(call())).outcome).toBe('none');
  }
  expect(performance.now() - started).toBeLessThan(2_000);
  await proxy.accept();
  await waitFor(async () => expect(await publication.readHead()).toEqual(headAt(1)));
  await waitFor(async () => {
    expect((await publication.readFrom(stateAt(0), { wait: 0 })).changes).toEqual([changeAt(1)]);
  });
});

test('connections are tried again after longer and longer pauses, also where each is accepted and ended', async () => {
  const publication = await open('attempts');
  let attempts = 0;
  const ending = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  ending.listen(0, '127.0.0.1');
  await once(ending, 'listening');
  proxy.target = (ending.address() as AddressInfo).port;
  proxy.drop();
  await pause(4_000);
  await errorOf(publication.readHead());
  // two connections, whose pauses grow from 0.1 s to 5 s
  expect(attempts).toBeGreaterThan(4);
  expect(attempts).toBeLessThan(24);
  proxy.target = server.port;
  ending.close();
  await waitFor(async () => expect(await publication.readHead()).toEqual(headAt(1)));
}, 30_000);

test('a reader that waits while the network is cut rejects, and reads on when it is mended', async () => {
  const publication = await open('waiting');
  await publication.readFrom(stateAt(1), { wait: 0 });
  const waiting = errorOf(publication.readFrom(stateAt(1), { wait: 60_000 }));
  await pause(100);
  proxy.cut();
  expect((await waiting).message).toMatch(/no answer within 5 s$/);
  await server.client.sendCommand(['PING']);
  proxy.mend();
  await opened.publication.readHead().catch(() => {});
  await waitFor(async () => {
    expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toBeNull();
  });
  await waitFor(async () => {
    expect((await publication.readFrom(stateAt(1), { wait: 1_000 })).changes).toEqual([changeAt(2)]);
  });
}, 30_000);

test('a slow network only takes longer', async () => {
  const publication = await open('slow');
  proxy.delay = 200;
  expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2, 'x'.repeat(3_000_000))])).toBeNull();
  const { changes } = await publication.readFrom(stateAt(0), { wait: 0 });
  expect(changes.map(({ sequence }) => sequence)).toEqual([1, 2]);
}, 30_000);

test('a server that lost everything is read as empty', async () => {
  const publication = await open('lost');
  await server.client.flushAll();
  expect(await publication.readHead()).toBeNull();
  expect(await publication.appendIf(stateAt(1), headAt(2), [changeAt(2)])).toEqual({ head: null });
  expect(await publication.appendIf(null, headAt(2), [changeAt(1), changeAt(2)])).toBeNull();
});
