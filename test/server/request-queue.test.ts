import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Content } from '../../src/index.ts';
import { hasEndedReading } from '../../src/server/node-internals.ts';
import { type QueueLimits, RequestQueue } from '../../src/server/requests/request-queue.ts';
import { askServer } from '../support/http.ts';
import { exchange, openThings, samples, start, stopServersAfterEach } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';

/** The number of requests that one turn of the event loop answers, and the queue of the others. Time is simulated. */

let now = 0;

beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

stopServersAfterEach();

afterEach(() => {
  vi.restoreAllMocks();
});

class Connection extends EventEmitter {
  destroyed = false;
  isReading = true;

  pause(): void {
    this.isReading = false;
  }

  resume(): void {
    this.isReading = true;
    this.emit('resume');
  }

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

function requestOf(url: string, socket: Connection, rawHeaders: readonly string[] = []): IncomingMessage {
  return { url, socket, rawHeaders } as unknown as IncomingMessage;
}

/** A queue whose requests take the given milliseconds each. */
function queueOf(limits: Partial<QueueLimits> = {}, each = 10) {
  const answered: string[] = [];
  const refused: string[] = [];
  const queue = new RequestQueue(
    { milliseconds: 25, requests: 1000, bytes: 1e6, perConnection: 1000, ...limits },
    ({ url }, _response, closes) => refused.push(closes ? `${url} and close` : url!),
  );
  const answer = ({ url }: IncomingMessage) => {
    answered.push(url!);
    now += each;
  };
  const send = (socket: Connection, ...urls: string[]) => {
    for (const url of urls) {
      if (!hasEndedReading(socket as unknown as Socket))
        queue.admit(requestOf(url, socket), {} as ServerResponse, answer);
    }
  };
  return { queue, answer, answered, refused, send };
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);

describe('a turn of the event loop', () => {
  test('answers requests until its time is over, at once while nothing waits', async () => {
    const { queue, answered, send } = queueOf();
    send(new Connection(), ...numbered('a', 8));
    expect(answered).toEqual(numbered('a', 3));
    expect(queue.figures.waiting).toBe(5);
    await turn();
    expect(answered).toEqual(numbered('a', 6));
    await turn();
    expect(answered).toEqual(numbered('a', 8));
    // five milliseconds of this turn are left
    send(new Connection(), 'b', 'c');
    expect(answered.slice(8)).toEqual(['b']);
    await turn();
    expect(answered.slice(8)).toEqual(['b', 'c']);
    expect(queue.figures).toMatchObject({ waiting: 0, refused: 0 });
  });

  test.each([
    [24, 2],
    [25, 1],
  ])('answers one more request after %i of 25 milliseconds: %i', (each, count) => {
    const { answered, send } = queueOf({}, each);
    send(new Connection(), 'a', 'b', 'c');
    expect(answered).toHaveLength(count);
  });

  test('answers one request if each takes longer than the turn', async () => {
    const { answered, send } = queueOf({}, 100);
    send(new Connection(), 'a', 'b', 'c');
    for (let i = 1; i <= 3; i++) {
      expect(answered).toHaveLength(i);
      await turn();
    }
  });

  test('lets other events run before the next turn', async () => {
    const { answered, send } = queueOf({}, 100);
    send(new Connection(), ...numbered('a', 4));
    const between: number[] = [];
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => process.stdout.write('', resolve));
      await turn();
      between.push(answered.length);
    }
    expect(between).toEqual([2, 3, 4]);
  });

  test('sets one immediate however many requests it answers', () => {
    const set = vi.spyOn(globalThis, 'setImmediate');
    const { answered, send } = queueOf({}, 0);
    send(new Connection(), ...numbered('a', 256));
    expect(answered).toHaveLength(256);
    expect(set).toHaveBeenCalledTimes(1);
  });

  test('answers a bounded number of requests, however short they seem', async () => {
    const { answered, send } = queueOf({}, 0);
    send(new Connection(), ...numbered('a', 600));
    expect(answered).toHaveLength(256);
    await turn();
    expect(answered).toHaveLength(512);
    await turn();
    expect(answered).toHaveLength(600);
  });

  test('continues with the next request if one fails', async () => {
    const answered: string[] = [];
    const queue = new RequestQueue({ milliseconds: 1, requests: 10, bytes: 1e6, perConnection: 10 }, () => {});
    const answer = ({ url }: IncomingMessage) => {
      now += 10;
      answered.push(url!);
      if (url === 'b') throw new Error('unexpected');
    };
    const failed = once(process, 'uncaughtException').catch(() => {});
    const listeners = process.listeners('uncaughtException');
    for (const listener of listeners) process.off('uncaughtException', listener);
    const caught = vi.fn();
    process.once('uncaughtException', caught);
    const socket = new Connection();
    for (const url of ['a', 'b', 'c']) queue.admit(requestOf(url, socket), {} as ServerResponse, answer);
    for (let i = 0; i < 4; i++) await turn();
    for (const listener of listeners) process.on('uncaughtException', listener);
    void failed;
    expect(caught).toHaveBeenCalledTimes(1);
    expect(answered).toEqual(['a', 'b', 'c']);
  });
});

test('accepts connections for a bounded number of turns', async () => {
  const { queue, answered, send } = queueOf({}, 25);
  send(new Connection(), 'a', 'b', 'c');
  queue.accepted();
  await turn();
  expect(answered).toEqual(['a']);
  await turn();
  expect(answered).toEqual(['a', 'b']);
  let turns = 0;
  while (answered.length < 3) {
    queue.accepted();
    await turn();
    turns++;
  }
  expect(turns).toBe(129);
});

test('accepts connections before it answers requests, even if none waits', async () => {
  const { queue, answered, send } = queueOf({}, 1);
  for (const name of ['a', 'b', 'c']) {
    queue.accepted();
    send(new Connection(), name);
    await turn();
    expect(answered).toEqual([]);
  }
  await turn();
  expect(answered).toEqual(['a', 'b', 'c']);
  send(new Connection(), 'd');
  expect(answered).toEqual(['a', 'b', 'c', 'd']);
});

describe('connections', () => {
  test('are served in rotation, each in its own order', async () => {
    const { answered, send } = queueOf({}, 25);
    send(new Connection(), ...numbered('a', 4));
    send(new Connection(), ...numbered('b', 2));
    send(new Connection(), 'c1');
    for (let i = 0; i < 6; i++) await turn();
    expect(answered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  test('are forgotten with their requests when they close', async () => {
    const { queue, answered, send } = queueOf({}, 25);
    const [gone, other] = [new Connection(), new Connection()];
    send(gone, ...numbered('a', 5));
    send(other, 'b');
    gone.close();
    expect(queue.figures.waiting).toBe(1);
    for (let i = 0; i < 5; i++) await turn();
    expect(answered).toEqual(['a1', 'b']);
    expect([gone, other].map((socket) => socket.eventNames())).toEqual([['resume'], []]);
  });

  test('are not queued if they are already closed', () => {
    const { queue, send } = queueOf({}, 25);
    const socket = new Connection();
    send(socket, 'a');
    socket.destroyed = true;
    send(socket, 'b');
    expect(queue.figures.waiting).toBe(0);
  });

  test('are not read while more than one of their requests is waiting', async () => {
    const { send } = queueOf({}, 25);
    const socket = new Connection();
    send(socket, 'a', 'b');
    expect(socket.isReading).toBe(true);
    send(socket, 'c', 'd');
    expect(socket.isReading).toBe(false);
    // Node resumes a connection after each reply
    socket.resume();
    expect(socket.isReading).toBe(false);
    await turn();
    expect(socket.isReading).toBe(false);
    await turn();
    expect(socket.isReading).toBe(true);
    socket.resume();
    expect(socket.isReading).toBe(true);
    for (let i = 0; i < 3; i++) await turn();
    expect(socket.eventNames()).toEqual([]);
  });
});

describe('a full queue', () => {
  test('rejects a request when it is full and accepts one after another has left', async () => {
    const { queue, answered, refused, send } = queueOf({ requests: 3 }, 25);
    const sockets = Array.from({ length: 6 }, () => new Connection());
    for (const [i, socket] of sockets.entries()) send(socket, `${i}`);
    expect(answered).toEqual(['0']);
    expect(refused).toEqual(['4', '5']);
    expect(queue.figures).toMatchObject({ waiting: 3, refused: 2 });
    await turn();
    send(sockets[4], '4 again');
    expect(refused).toEqual(['4', '5']);
    send(sockets[5], '5 again');
    expect(refused).toEqual(['4', '5', '5 again']);
    for (let i = 0; i < 4; i++) await turn();
    expect(answered).toEqual(['0', '1', '2', '3', '4 again']);
  });

  test('rejects a request above the limit per connection and ends the connection', async () => {
    const { queue, answered, refused, send } = queueOf({ perConnection: 3 }, 25);
    const [socket, other] = [new Connection(), new Connection()];
    send(socket, ...numbered('a', 10));
    send(other, 'b');
    expect(refused).toEqual(['a5 and close']);
    expect(socket.isReading).toBe(false);
    expect([socket, other].map((each) => hasEndedReading(each as unknown as Socket))).toEqual([true, false]);
    expect(queue.figures).toMatchObject({ waiting: 4, refused: 1 });
    for (let i = 0; i < 5; i++) await turn();
    expect(answered).toEqual(['a1', 'a2', 'b', 'a3', 'a4']);
    expect(socket.isReading).toBe(false);
  });

  test('limits the bytes of waiting requests but always accepts one', async () => {
    const { queue, answer, answered, refused } = queueOf({ bytes: 6000 }, 25);
    const send = (url: string, length: number) =>
      queue.admit(requestOf(url, new Connection(), ['Name', 'x'.repeat(length)]), {} as ServerResponse, answer);
    send('at once', 0);
    for (const [url, length] of [
      ['large', 9000],
      ['small', 100],
    ] as const) {
      send(url, length);
    }
    expect(refused).toEqual(['small']);
    expect(queue.figures.waitingBytes).toBe(1600 + 'large'.length + 72 + 'Name'.length + 9000);
    await turn();
    expect(answered).toEqual(['at once', 'large']);
    expect(queue.figures.waitingBytes).toBe(0);
    for (let i = 1; i <= 6; i++) send(`s${i}`, 200);
    expect(refused).toEqual(['small', 's4', 's5', 's6']);
    for (let i = 0; i < 4; i++) await turn();
    expect(answered).toEqual(['at once', 'large', 's1', 's2', 's3']);
    expect(queue.figures.waitingBytes).toBe(0);
  });

  test('counts no bytes of connections that have closed', () => {
    const { queue, send } = queueOf({}, 25);
    const socket = new Connection();
    send(socket, ...numbered('a', 5));
    expect(queue.figures.waitingBytes).toBeGreaterThan(0);
    socket.close();
    expect(queue.figures).toMatchObject({ waiting: 0, waitingBytes: 0 });
  });

  test('ends a connection whose requests it rejects repeatedly', async () => {
    const { refused, send } = queueOf({ requests: 1 }, 25);
    send(new Connection(), 'a', 'b');
    const socket = new Connection();
    send(socket, ...numbered('c', 100));
    expect(refused).toEqual(['c1', 'c2 and close']);
  });
});

describe('held requests', () => {
  const hold = (queue: RequestQueue, socket: Connection, url: string) =>
    queue.hold(requestOf(url, socket), {} as ServerResponse);

  test('count as waiting until their places are given back, and delay nobody', async () => {
    const { queue, answered, send } = queueOf();
    const socket = new Connection();
    const free = hold(queue, socket, 'held')!;
    expect(queue.figures).toMatchObject({ waiting: 1, waitingBytes: 1600 + 'held'.length + 1800 });
    send(socket, 'same');
    send(new Connection(), 'other');
    expect(answered).toEqual(['same', 'other']);
    expect(socket.isReading).toBe(true);
    free();
    expect(queue.figures).toEqual({ waiting: 0, waitingBytes: 0, refused: 0 });
  });

  test('take half of the places, and queued requests the others', async () => {
    const { queue, answered, refused, send } = queueOf({ requests: 4 }, 25);
    const places = numbered('held', 3).map((url) => hold(queue, new Connection(), url));
    expect(refused).toEqual(['held3']);
    for (const url of ['at once', 'a', 'b', 'c']) send(new Connection(), url);
    expect(refused).toEqual(['held3', 'c']);
    expect(hold(queue, new Connection(), 'held4')).toBe(null);
    expect(queue.figures).toMatchObject({ waiting: 4, refused: 3 });
    places[0]!();
    send(new Connection(), 'd');
    for (let i = 0; i < 4; i++) await turn();
    expect(answered).toEqual(['at once', 'a', 'b', 'd']);
    expect(queue.figures.waiting).toBe(1);
  });

  test('take half of the bytes', () => {
    const { queue, refused } = queueOf({ bytes: 14_000 });
    for (const url of numbered('held', 3)) hold(queue, new Connection(), url);
    expect(refused).toEqual(['held3']);
  });

  test('count for their connection, which a rejected one ends', () => {
    const { queue, refused, send } = queueOf({ perConnection: 2 }, 25);
    const socket = new Connection();
    hold(queue, socket, 'held1');
    send(socket, 'at once', 'a', 'b');
    expect(refused).toEqual(['b and close']);
    const other = new Connection();
    for (const url of numbered('other', 3)) hold(queue, other, url);
    expect(refused).toEqual(['b and close', 'other3 and close']);
    expect([socket, other].map((each) => hasEndedReading(each as unknown as Socket))).toEqual([true, true]);
  });
});

describe('over real connections', () => {
  /** Content whose replies take ten simulated milliseconds each. Calls `answered` before each. */
  async function slow(settings: object, answered: (count: number) => void = () => {}) {
    const content: Content = await openThings();
    const counts = { answered: 0 };
    const answer = content.answerPath.bind(content);
    content.answerPath = (...all) => {
      answered(++counts.answered);
      now += 10;
      return answer(...all);
    };
    return { ...(await start(settings, content)), counts };
  }
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const thing = (i: number) => `/api/things/thing-${i}`;
  const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

  test('pipelined replies keep their order, and health checks on other connections overtake them', async () => {
    let atHealth = 0;
    const { port, counts } = await slow({}, (count) => {
      if (count === 1) health.write(get('/_health'));
    });
    const health = connect(port, '127.0.0.1');
    health.on('data', () => (atHealth = counts.answered));
    await once(health, 'connect');
    const last = get(thing(59), 'Connection: close\r\n');
    const text = await exchange(port, Array.from({ length: 59 }, (_, i) => get(thing(i))).join('') + last);
    health.destroy();
    expect(counts.answered).toBe(60);
    expect([...text.matchAll(/"documentId":"thing-(\d+)"/g)].map(([, i]) => Number(i))).toEqual(
      Array.from({ length: 60 }, (_, i) => i),
    );
    expect(atHealth).toBeGreaterThan(0);
    expect(atHealth).toBeLessThan(20);
  });

  test('new connections are accepted before waiting requests are answered', async () => {
    let atHealth = 0;
    const sockets: Socket[] = [];
    const { port, counts } = await slow({ queue: { milliseconds: 1 } }, (count) => {
      if (count !== 1) return;
      for (let i = 0; i < 60; i++) sockets.push(connect(port, '127.0.0.1'));
      const health = connect(port, '127.0.0.1', () => health.write(get('/_health')));
      health.once('data', () => (atHealth = counts.answered));
      sockets.push(health);
    });
    const last = get(thing(59), 'Connection: close\r\n');
    await exchange(port, Array.from({ length: 59 }, (_, i) => get(thing(i))).join('') + last);
    for (const socket of sockets) socket.destroy();
    expect(counts.answered).toBe(60);
    expect(atHealth).toBeGreaterThan(0);
    expect(atHealth).toBeLessThan(20);
  });

  test('a new connection does not wait for replies to earlier ones', async () => {
    let atHealth = 0;
    const { port, counts } = await slow({});
    const all = Array.from({ length: 60 }, (_, i) => exchange(port, get(thing(i), 'Connection: close\r\n')));
    const health = connect(port, '127.0.0.1', () => health.write(get('/_health')));
    health.once('data', () => (atHealth = counts.answered));
    await Promise.all(all);
    health.destroy();
    expect(counts.answered).toBe(60);
    expect(atHealth).toBeLessThan(20);
  });

  test.each([
    ['health', '/_health', {}, 204],
    ['what the rate limit refuses', '/api/things', { rateLimit: { requests: 1 } }, 429],
    ['what is passed on', '/elsewhere', { upstream: 'http://127.0.0.1:9' }, 502],
  ])('pipelined requests wait in the queue: %s', async (_name, path, settings, status) => {
    const { port } = await slow({ ...settings, queue: { perConnection: 3 } });
    // a turn reads the clock three times
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
    const statuses = statusesOf(await exchange(port, get(path).repeat(500)));
    expect(statuses).toContain(status);
    expect(statuses.at(-1)).toBe(503);
    expect(statuses.length).toBeLessThan(10);
  });

  test('a request that exceeds the queue gets a 503 with Retry-After, which ends its connection', async () => {
    const { port } = await slow({ queue: { milliseconds: 5, perConnection: 3 } });
    const text = await exchange(port, Array.from({ length: 10 }, (_, i) => get(thing(i))).join(''));
    expect(statusesOf(text)).toEqual([200, 200, 200, 503]);
    const [head, body] = text.slice(text.lastIndexOf('HTTP/1.1 503')).split('\r\n\r\n');
    expect(head).toContain('\r\nRetry-After: 1\r\n');
    expect(head).toMatch(/\r\nConnection: close(\r\n|$)/);
    expect(head).toContain('\r\nCache-Control: no-store\r\n');
    expect(JSON.parse(body).error).toMatchObject({ status: 503, name: 'ServiceUnavailableError' });
    const found = samples((await askServer(port, '/_metrics')).body.toString());
    expect(found.get('lectern_http_refused_requests_total')).toBe(1);
    expect(found.get('lectern_http_waiting_requests')).toBe(0);
    expect(found.get('lectern_http_replies_total{status="503"}')).toBe(1);
    expect(found.get('lectern_http_replies_total{status="200"}')).toBe(3);
  });

  test('health, readiness and metrics are answered while the queue is full', async () => {
    const asked: Promise<unknown>[] = [];
    const answers: string[] = [];
    const { port, counts } = await slow({ queue: { milliseconds: 1, requests: 41 } }, (count) => {
      if (count !== 1) return;
      for (const path of ['/_health', '/_ready?x', '/_metrics', '/api/things', '/', '/nothing']) {
        const asking = askServer(port, path).then(({ status }) => {
          answers.push(`${path} ${status} ${counts.answered < 40 ? 'early' : 'late'}`);
        });
        asked.push(asking);
      }
    });
    // the first scrape takes long, because process metrics begin with it
    await askServer(port, '/_metrics');
    const close = get(thing(40), 'Connection: close\r\n');
    const text = await exchange(port, Array.from({ length: 40 }, (_, i) => get(thing(i))).join('') + close);
    await Promise.all(asked);
    expect(statusesOf(text)).toEqual(Array(41).fill(200));
    expect(answers).toEqual(
      expect.arrayContaining(['/_health 204 early', '/_ready?x 200 early', '/_metrics 200 early']),
    );
  });

  test('requests of a disconnected client are not answered', async () => {
    const { port, counts } = await slow({ queue: { milliseconds: 1 } }, (count) => {
      if (count === 2) for (const socket of sockets) socket.resetAndDestroy();
    });
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await waitFor(async () => {
      const found = samples((await askServer(port, '/_metrics')).body.toString());
      expect(found.get('lectern_connections')).toBeGreaterThan(20);
    });
    for (const [i, socket] of sockets.entries()) socket.write(get(thing(i)));
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    await waitFor(async () => {
      const found = samples((await askServer(port, '/_metrics')).body.toString());
      expect(found.get('lectern_http_waiting_requests')).toBe(0);
    });
    expect(counts.answered).toBeLessThan(10);
  });
});
