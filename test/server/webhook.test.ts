// The webhook sends each event once, in order, and tries again.
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { Webhook } from '../../src/server/events/webhook.ts';
import { createLog } from '../../src/server/log/log.ts';
import { startContents, stopAll, titled } from '../contents/running-contents.ts';
import { start, stopServersAfterEach, until } from '../support/server.ts';

stopServersAfterEach();

interface Received {
  body: string;
  signature: string | undefined;
}

let receiver: Server | null = null;
const webhooks: Webhook[] = [];

afterEach(() => {
  for (const webhook of webhooks.splice(0)) webhook.close();
  receiver?.closeAllConnections();
  receiver?.close();
});

/** Answers with the statuses in turn, and then with 204. */
async function receive(statuses: number[] = []): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ body, signature: request.headers['x-lectern-signature'] as string | undefined });
    response.writeHead(statuses.shift() ?? 204).end();
  });
  await new Promise<void>((resolve) => receiver!.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`, received };
}

function webhookFor(url: string, pause = 1): Webhook {
  const log = createLog({ level: 'silent', format: 'json' }, { write: () => {} });
  const webhook = new Webhook({ url }, log, { pauses: { first: pause, last: pause }, tries: 3 });
  webhooks.push(webhook);
  return webhook;
}

const bodies = (received: Received[]) => received.map(({ body }) => JSON.parse(body));

test('a change is sent with the signature of its body', async () => {
  const { url, received } = await receive();
  const content = await open(titled('first'));
  const secret = 'sixteen characters';
  await start({ webhook: { url, secret } }, content);
  content.apply({
    entities: [{ type: 'api::thing.thing', id: 1, data: { documentId: 'one', title: 'second' } }],
    links: [],
  });
  await until(() => received.length === 2);
  const [{ body: first }, { body, signature }] = received;
  // the receiver may have missed events before the start
  expect(JSON.parse(first)).toEqual({ content: 'main', version: expect.stringMatching(/-0$/), tags: null });
  expect(JSON.parse(body)).toEqual({ content: 'main', version: content.version, tags: expect.any(Array) });
  expect(JSON.parse(body).tags).toContain('api::thing.thing/one');
  expect(signature).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
});

test('a content that is put, replaced or deleted makes everything stale under its name', async () => {
  const { url, received } = await receive();
  const { put, delete: remove } = await startContents({ settings: { webhook: { url } } });
  await put('feature', { body: { snapshot: 'one.json' } });
  await put('feature', { body: { snapshot: 'two.json' } });
  await remove('feature');
  await until(() => received.length === 4);
  expect(bodies(received).map(({ content, tags }) => [content, tags])).toEqual([
    ['main', null],
    ['feature', null],
    ['feature', null],
    ['feature', null],
  ]);
  await stopAll();
});

test('an event is tried again, and later ones wait for it', async () => {
  const { url, received } = await receive([500, 404]);
  const webhook = webhookFor(url);
  webhook.send('main', { version: '1-1', tags: ['a'] });
  webhook.send('main', { version: '1-2', tags: ['b'] });
  await until(() => webhook.figures.sent === 2);
  expect(bodies(received).map(({ version }) => version)).toEqual(['1-1', '1-1', '1-1', '1-2']);
  expect(webhook.figures).toEqual({ waiting: 0, sent: 2, failed: 2 });
  expect(received[0].signature).toBeUndefined();
});

test('an event that is given up is followed by a reset in place of those that wait', async () => {
  const { url, received } = await receive([500, 500, 500]);
  const webhook = webhookFor(url);
  for (const version of ['1-1', '1-2', '1-3']) webhook.send('main', { version, tags: ['a'] });
  await until(() => webhook.figures.sent === 1);
  expect(bodies(received).at(-1)).toEqual({ content: 'main', version: '1-3', tags: null });
  expect(webhook.figures).toEqual({ waiting: 0, sent: 1, failed: 3 });
});

test('a reset for each content takes the place of too many events', async () => {
  const { url, received } = await receive();
  const webhook = webhookFor(url);
  for (let i = 1; i <= 1001; i++) webhook.send('main', { version: `1-${i}`, tags: ['a'] });
  webhook.send('other', { version: '2-1', tags: ['b'] });
  expect(webhook.figures.waiting).toBeLessThan(1002);
  for (let i = 2; i <= 6; i++) webhook.send('other', { version: `2-${i}`, tags: ['x'.repeat(2 ** 20)] });
  await until(() => bodies(received).some(({ version }) => version === '2-6'));
  const last = new Map(bodies(received).map((body) => [body.content, body]));
  expect(last.get('main')).toEqual({ content: 'main', version: '1-1001', tags: null });
});

test('a receiver that cannot be reached holds nothing up, and nothing is sent after the server stops', async () => {
  const webhook = webhookFor('http://127.0.0.1:9/', 60_000);
  webhook.send('main', { version: '1-1', tags: ['a'] });
  await until(() => webhook.figures.failed === 1);
  webhook.send('main', { version: '1-2', tags: ['a'] });
  webhook.close();
  expect(webhook.figures.sent).toBe(0);
});
