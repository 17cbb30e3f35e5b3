import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { pluginPostOf } from '../../src/content/registry/plugin-post.ts';
import { until } from '../support/server.ts';

/** What `strapi-plugin-lectern` sends: in order, signed, and again until it is taken. */

/** Changes, as `plugin/server/pending-changes.js` keeps them. */
interface Changes {
  readonly size: number;
  add(uid: string, documentId: string | null): void;
  take(): Record<string, string[] | null>;
}

interface Sending {
  readonly status: { problem: string | null; takenAt: number | null; posts: number };
  readonly pending: { readonly size: number };
  start(): void;
  add(uid: string, documentId: string | null): void;
  close(): void;
}

// Strapi requires it as well
const require = createRequire(import.meta.url);
const { Sender }: { Sender: new (options: object) => Sending } = require('../../plugin/server/sender.js');
const { PendingChanges, maxDocuments }: { PendingChanges: new () => Changes; maxDocuments: number } =
  require('../../plugin/server/pending-changes.js');

const secret = 'a secret of the plugin';
const article = 'api::article.article';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

/** A server that answers each post with the next of the statuses, or with 204. `0` ends the connection. */
async function begin(statuses: number[] = [], idleTime = 60_000) {
  const bodies: string[] = [];
  const signatures: unknown[] = [];
  let hold: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    bodies.push(body);
    signatures.push(request.headers['x-lectern-signature']);
    await hold;
    const status = statuses.shift() ?? 204;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { Location: '/' }).end();
  });
  await listening(server);
  const { port: taken } = server.address() as AddressInfo;
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const messages: string[] = [];
  const log = { info: (text: string) => messages.push(text), warn: (text: string) => messages.push(text) };
  const url = `http://127.0.0.1:${taken}/_hooks/strapi`;
  const sender = new Sender({ url, secret, log, firstPause: 5, lastPause: 20, idleTime });
  closing.push(() => sender.close());
  return {
    sender,
    server,
    bodies,
    signatures,
    messages,
    posts: () => bodies.map((body) => pluginPostOf(JSON.parse(body))),
    /** Holds the replies. Returns a function that sends them. */
    pause: () => {
      let go = () => {};
      hold = new Promise((resolve) => (go = resolve));
      return go;
    },
  };
}

const listening = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

describe('the posts', () => {
  test('begin with one without changes, and are numbered', async () => {
    const { sender, posts } = await begin();
    sender.start();
    await until(() => posts().length >= 1);
    sender.add(article, 'one');
    await until(() => posts().length >= 2);
    sender.add(article, 'one');
    await until(() => posts().length >= 3);
    const [{ epoch }] = posts() as { epoch: string }[];
    expect(posts()).toEqual([
      { epoch, sequence: 0, changes: {} },
      { epoch, sequence: 1, changes: { [article]: ['one'] } },
      { epoch, sequence: 2, changes: { [article]: ['one'] } },
    ]);
  });

  test('wait for the start, with the changes until then in the first one', async () => {
    const { sender, posts } = await begin();
    sender.add(article, 'one');
    await sleep(30);
    expect(posts()).toEqual([]);
    sender.start();
    await until(() => posts().length > 0);
    await sleep(30);
    expect(posts()).toEqual([{ epoch: expect.any(String), sequence: 0, changes: { [article]: ['one'] } }]);
  });

  test('come one after another, and put together what changes meanwhile', async () => {
    const { sender, posts, pause } = await begin();
    const go = pause();
    sender.start();
    await until(() => posts().length >= 1);
    for (const id of ['one', 'two', 'one']) sender.add(article, id);
    sender.add('api::tag.tag', null);
    await sleep(30);
    expect(posts()).toHaveLength(1);
    go();
    await until(() => posts().length >= 2);
    expect(posts()[1]).toMatchObject({ sequence: 1, changes: { [article]: ['one', 'two'], 'api::tag.tag': null } });
  });

  test('are signed', async () => {
    const { sender, bodies, signatures } = await begin();
    sender.start();
    await until(() => bodies.length >= 1);
    expect(signatures).toEqual([`sha256=${createHmac('sha256', secret).update(bodies[0]).digest('hex')}`]);
  });

  test('without changes come while there are none', async () => {
    const { sender, posts } = await begin([], 20);
    sender.start();
    await until(() => posts().length >= 3);
    expect(posts().slice(0, 3)).toEqual(
      [0, 1, 2].map((sequence) => expect.objectContaining({ sequence, changes: {} })),
    );
    sender.close();
    const count = posts().length;
    await sleep(60);
    expect(posts().length).toBeLessThanOrEqual(count + 1);
  });

  test('of another process have another epoch', async () => {
    const [one, other] = [await begin(), await begin()];
    for (const { sender, posts } of [one, other]) {
      sender.start();
      await until(() => posts().length >= 1);
    }
    expect(one.posts()[0]?.epoch).not.toBe(other.posts()[0]?.epoch);
  });
});

describe('a post that fails', () => {
  test.each([
    ['with a status', [503, 401, 500]],
    ['without a reply', [0, 0]],
    ['with a redirect', [307]],
  ])('%s is sent again, the same, before later ones', async (_, statuses) => {
    const failures = statuses.length;
    const { sender, bodies, posts } = await begin([204, ...statuses]);
    sender.start();
    await until(() => bodies.length >= 1);
    sender.add(article, 'one');
    await until(() => bodies.length >= 2);
    sender.add(article, 'two');
    await until(() => bodies.length >= failures + 3);
    expect(new Set(bodies.slice(1, failures + 2)).size).toBe(1);
    expect(posts().at(-1)).toMatchObject({ sequence: 2, changes: { [article]: ['two'] } });
  });

  test('is logged when the reason is new, and when posts are taken again', async () => {
    const { sender, messages } = await begin([503, 503, 401]);
    sender.start();
    await until(() => messages.length >= 3);
    expect(messages).toEqual([
      'Lectern does not take changes: status 503. They are sent again',
      'Lectern does not take changes: status 401. They are sent again',
      'Lectern takes changes again',
    ]);
  });

  test('is in the status, with what waits', async () => {
    const { sender, bodies } = await begin([204, 503, 503, 503]);
    expect(sender.status).toEqual({ problem: null, takenAt: null, posts: 0 });
    sender.start();
    await until(() => sender.status.posts === 1);
    sender.add(article, 'one');
    await until(() => sender.status.problem !== null);
    for (const id of ['two', 'three']) sender.add(article, id);
    expect([sender.status, sender.pending.size]).toMatchObject([{ problem: 'status 503', posts: 1 }, 2]);
    await until(() => sender.status.posts === 3);
    const { takenAt, ...status } = sender.status;
    expect([status, sender.pending.size]).toEqual([{ problem: null, posts: 3 }, 0]);
    expect(Math.abs(Date.now() - takenAt!)).toBeLessThan(10_000);
    expect(bodies).toHaveLength(6);
  });

  test('is dropped at the end', async () => {
    const { sender, bodies } = await begin(Array.from({ length: 100 }, () => 503));
    sender.start();
    await until(() => bodies.length > 1);
    sender.close();
    const count = bodies.length;
    await sleep(60);
    expect(bodies.length).toBeLessThanOrEqual(count + 1);
  });
});

describe('changes that wait', () => {
  test('name each document once, and a type alone if any of its documents may have changed', () => {
    const pending = new PendingChanges();
    expect(pending.size).toBe(0);
    for (const id of ['one', 'one', 'two']) pending.add(article, id);
    pending.add('api::tag.tag', 'x');
    pending.add('api::tag.tag', null);
    pending.add('api::tag.tag', 'y');
    expect(pending.size).toBe(3);
    expect(pending.take()).toEqual({ [article]: ['one', 'two'], 'api::tag.tag': null });
    expect([pending.size, pending.take()]).toEqual([0, {}]);
  });

  test('are bounded', () => {
    const pending = new PendingChanges();
    for (let id = 0; id < maxDocuments; id++) pending.add(article, `${id}`);
    pending.add('api::tag.tag', 'x');
    pending.add(article, '0');
    expect(pending.size).toBe(maxDocuments + 1);
    pending.add(article, 'one more');
    expect(pending.take()).toEqual({ [article]: null, 'api::tag.tag': null });
    pending.add(article, 'one');
    expect(pending.take()).toEqual({ [article]: ['one'] });
  });
});
