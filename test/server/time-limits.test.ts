import { afterAll, describe, expect, test } from 'vitest';
import { askServer } from '../support/http.ts';
import { exchange, metric, openLarge, stall, start, stopServers, until } from '../support/server.ts';

/** Time limits of about a second. The tests run concurrently, because they mostly wait. */

afterAll(stopServers);

const host = 'Host: a\r\n';

describe.concurrent('a client', () => {
  test('gets a 408 and is disconnected if it does not finish its headers', async () => {
    const { port } = await start({ timeouts: { headers: 200, request: 400 } });
    const answers = await Promise.all([
      exchange(port, 'GET /api/things HTTP/1.1\r\n'),
      exchange(port, `GET /api/things HTTP/1.1\r\n${host}X: `),
      exchange(port, ''),
    ]);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(await metric(port, 'lectern_http_client_errors_total{status="408"}')).toBe(3);
  });

  test('is disconnected if it does not finish an unrequested body', async () => {
    const { port } = await start({ timeouts: { headers: 200, request: 400 } });
    const answer = await exchange(port, `GET /_health HTTP/1.1\r\n${host}Content-Length: 1000000\r\n\r\na`);
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
  });

  test('is disconnected if it is idle between requests', async () => {
    const { port } = await start({ timeouts: { keepAlive: 100 } });
    expect(await exchange(port, `GET /_health HTTP/1.1\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 204 /);
  });

  test('sends a limited number of requests on each connection', async () => {
    const { port } = await start({ connections: { requests: 2 }, timeouts: { keepAlive: 100 } });
    const one = `GET /_health HTTP/1.1\r\n${host}\r\n`;
    expect((await exchange(port, one + one)).match(/Connection: close/g)).toHaveLength(1);
  });

  test('is disconnected and counted if it reads nothing, and its memory is released', async () => {
    // the limit on sending also limits the idle time of a connection on the main port
    const { port, adminPort } = await start({ adminPort: 0, timeouts: { send: 300 } }, await openLarge());
    const sockets = [await stall(port, 5), await stall(port, 5)];
    await until(async () => (await metric(adminPort, 'lectern_http_slow_readers_total')) === 2);
    await until(async () => (await metric(adminPort, 'lectern_unsent_bytes')) === 0);
    for (const socket of sockets) socket.destroy();
    expect((await askServer(port, '/api/things/small')).status).toBe(200);
  });
});

describe.concurrent('a server that stops', () => {
  test('is not ready for a set time before it stops accepting connections', async () => {
    const { server, port } = await start({ timeouts: { drain: 1000 } });
    const stopped = server.stop();
    expect((await askServer(port, '/_ready')).json().error.message).toBe('The server is stopping');
    expect((await askServer(port, '/api/things')).status).toBe(200);
    await stopped;
    await expect(askServer(port, '/_health')).rejects.toThrow('ECONNREFUSED');
  });
});
