import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { askServer } from '../support/http.ts';
import { openLarge, stall, start, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** A graceful stop finishes requests under way and begins no new ones. */

stopServersAfterEach();

const request = 'GET /api/things?sort=id HTTP/1.1\r\nHost: a\r\n';

async function open(port: number) {
  const socket = connect(port, '127.0.0.1');
  const received = { text: '', closed: false };
  socket.setEncoding('latin1').on('data', (data) => (received.text += data));
  socket.on('error', () => {}).on('close', () => (received.closed = true));
  await once(socket, 'connect');
  return { socket, received };
}

test('finishes requests under way, closes idle connections and accepts no new ones', async () => {
  const { server, port, adminPort, lines } = await start({ adminPort: 0, log: { level: 'debug' } });
  const idle = await open(port);
  idle.socket.write(`${request}\r\n`);
  await once(idle.socket, 'data');
  const busy = await open(port);
  busy.socket.write(request);
  // a request whose first line has been read is under way: the server has answered another that came later
  await askServer(port, '/_health');

  const stopped = server.stop();
  if (!idle.received.closed) await once(idle.socket, 'close');
  expect((await askServer(adminPort, '/_ready')).json().error.message).toBe('The server is stopping');
  await expect(askServer(port, '/_health')).rejects.toThrow('ECONNREFUSED');
  busy.socket.write('\r\n');
  await stopped;
  if (!busy.received.closed) await once(busy.socket, 'close');
  expect(busy.received.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(busy.received.text).toContain('\r\nConnection: close\r\n');
  expect(busy.received.text).toMatch(/"meta":\{"pagination":\{.*\}\}\}$/);
  await expect(askServer(adminPort, '/_ready')).rejects.toThrow('ECONNREFUSED');
  expect(lines.map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
});

test('lets a client read the rest of its reply', async () => {
  const { server, port } = await start({}, await openLarge());
  const slow = await stall(port);
  const received: Buffer[] = [];
  slow.on('data', (data) => received.push(data));
  await askServer(port, '/_health');
  const stopped = server.stop();
  // longer than the interval of the check for idle connections
  await new Promise((resolve) => setTimeout(resolve, 120));
  slow.resume();
  await once(slow, 'close');
  await stopped;
  const [, length] = /Content-Length: (\d+)/.exec(received[0].toString('latin1'))!;
  const reply = Buffer.concat(received);
  expect(reply.length - reply.indexOf('\r\n\r\n') - 4).toBe(Number(length));
});

test('aborts requests that exceed the time limit', async () => {
  const { server, port, lines } = await start({ timeouts: { stop: 200 } });
  const busy = await open(port);
  busy.socket.write(request);
  await askServer(port, '/_health');
  await server.stop();
  if (!busy.received.closed) await once(busy.socket, 'close');
  expect(busy.received.text).toBe('');
  expect(lines).toEqual([expect.objectContaining({ msg: 'closed connections whose requests did not finish in time' })]);
});

test('answers every request of busy clients, then ends their connections', async () => {
  const { server, port } = await start();
  const outcomes = { answered: 0, ended: 0, reset: 0 };
  let stopped: Promise<void> | undefined;
  const client = () =>
    new Promise<void>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(`${request}\r\n`));
      socket.setEncoding('latin1').on('data', (data) => {
        text += data;
        const [, length] = /Content-Length: (\d+)/.exec(text) ?? [];
        if (text.length < text.indexOf('\r\n\r\n') + 4 + Number(length ?? Infinity)) return;
        outcomes.answered++;
        const isLast = text.includes('\r\nConnection: close\r\n');
        text = '';
        if (isLast) outcomes.ended++;
        else socket.write(`${request}\r\n`);
        if (isLast) socket.end();
        if (outcomes.answered === 300) stopped = server.stop();
      });
      socket.on('error', () => outcomes.reset++).on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: 50 }, client));
  await stopped;
  expect(outcomes).toMatchObject({ ended: 50, reset: 0 });
});

test('closes idle connections once nothing arrives any more', async () => {
  const { server, port } = await start();
  const idle = await Promise.all(Array.from({ length: 3 }, () => open(port)));
  for (const { socket } of idle) socket.write(`${request}\r\n`);
  await Promise.all(idle.map(({ socket }) => once(socket, 'data')));
  await server.stop();
  await Promise.all(idle.map(({ socket, received }) => received.closed || once(socket, 'close')));
  expect(idle.every(({ received }) => received.text.startsWith('HTTP/1.1 200'))).toBe(true);
});

test('stops while no content is loaded', async () => {
  const { server } = await startEmpty();
  await server.stop();
  await server.stop();
});
