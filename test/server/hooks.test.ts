import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Contents, createEntry } from '../../src/content/registry/contents.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import { freshnessOf } from '../support/freshness.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { openThings, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** `POST /_hooks/strapi` on the admin port of a server with one thread. */

stopServersAfterEach();

const admin = {
  tokens: [
    { name: 'strapi', sha256: sha256('strapi'), rights: ['hooks'] },
    { name: 'deploy', sha256: sha256('deploy'), rights: ['reload'] },
  ],
};

interface Sent {
  readonly body?: string;
  readonly token?: string;
  readonly query?: string;
  readonly type?: string;
}

/** A server whose contents `main` and `second` follow sources; `third` does not. */
async function begin(settings: object = { admin }) {
  const hints: [content: string, body: unknown][] = [];
  const [first, ...others] = await Promise.all(
    ['main', 'second', 'third'].map(async (name) => {
      const hint = (body: unknown) => void hints.push([name, body]);
      const source = { freshness: unread, hint, onRead: () => () => {} };
      const entry = { name, hosts: [], content: await openThings({ public: true }), error: null, put: null };
      return createEntry(name === 'third' ? entry : { ...entry, source });
    }),
  );
  const contents = new Contents(first);
  for (const entry of others) await contents.set(entry);
  const running = await startEmpty({ adminPort: 0, ...settings });
  running.server.serveContents({ contents, areChosen: true, stored: null, live: new LiveContents(contents, null) });
  return { ...running, hints, send: (sent: Sent) => send(running.adminPort, sent) };
}

const unread = freshnessOf('http://127.0.0.1:1337');

const published = { event: 'entry.publish', uid: 'api::thing.thing', entry: { documentId: 'thing-1' } };

function send(port: number, { body, token = 'strapi', query = '', type = 'application/json' }: Sent) {
  return askServer(port, `/_hooks/strapi${query}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...(token && { Authorization: `Bearer ${token}` }) },
    body: body ?? JSON.stringify(published),
  });
}

const messageOf = ({ json }: HttpAnswer): string => json().error.message;

const secret = 'a secret of the plugin';

const post = { epoch: 'one', sequence: 3, changes: { 'api::thing.thing': ['thing-1'], 'plugin::upload.file': null } };

const signatureOf = (body: string, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

/** A server with a secret, and a function that sends it a signed body. */
async function beginSigned() {
  const { adminPort, hints } = await begin({ admin, follow: { secret } });
  const send = (body: string, signature = signatureOf(body), type = 'application/json') =>
    askServer(adminPort, '/_hooks/strapi', {
      method: 'POST',
      headers: { 'Content-Type': type, 'X-Lectern-Signature': signature },
      body,
    });
  return { hints, send };
}

describe('a signed post', () => {
  const body = JSON.stringify(post);

  test('is a hint, and needs no token', async () => {
    const { send, hints } = await beginSigned();
    const { status, headers } = await send(body);
    expect([status, headers['cache-control']]).toEqual([204, 'no-store']);
    expect(hints).toEqual([['main', post]]);
  });

  test.each<[string, string, string, number]>([
    ['with the signature of another body', body, signatureOf('{}'), 401],
    ['with the signature of another secret', body, signatureOf(body, 'another secret of it'), 401],
    ['with a signature in another form', body, signatureOf(body).slice('sha256='.length), 401],
    ['with an empty signature', body, '', 401],
    ['that is no JSON', '{', signatureOf('{'), 400],
    ['that is a webhook', '{"event":"entry.update"}', signatureOf('{"event":"entry.update"}'), 400],
    ['that is too large', 'x'.repeat(2 ** 20 + 1), signatureOf('x'.repeat(2 ** 20 + 1)), 413],
  ])('%s is refused', async (_, sent, signature, status) => {
    const { send, hints } = await beginSigned();
    expect((await send(sent, signature)).status).toBe(status);
    expect(hints).toEqual([]);
  });

  test.each([
    ['a negative sequence', { ...post, sequence: -1 }],
    ['no epoch', { ...post, epoch: '' }],
    ['values', { ...post, values: {} }],
    ['changes that are no documents', { ...post, changes: { 'api::thing.thing': [{}] } }],
  ])('with %s is refused', async (_, other) => {
    const { send, hints } = await beginSigned();
    const answer = await send(JSON.stringify(other));
    expect([answer.status, messageOf(answer)]).toEqual([
      400,
      'body: must be a post of strapi-plugin-lectern, of the same version as Lectern',
    ]);
    expect(hints).toEqual([]);
  });

  test('of another media type is refused', async () => {
    const { send } = await beginSigned();
    expect((await send(body, signatureOf(body), 'text/plain')).status).toBe(415);
  });

  test('is refused without a secret', async () => {
    const { adminPort, hints } = await begin();
    const headers = { 'Content-Type': 'application/json', 'X-Lectern-Signature': signatureOf(body) };
    const answer = await askServer(adminPort, '/_hooks/strapi', { method: 'POST', headers, body });
    expect([answer.status, messageOf(answer)]).toEqual([
      403,
      'Posts of strapi-plugin-lectern need the setting follow.secret',
    ]);
    expect(hints).toEqual([]);
  });

  test('is no key to other routes', async () => {
    const { adminPort } = await begin({ admin, follow: { secret } });
    const headers = { 'Content-Type': 'application/json', 'X-Lectern-Signature': signatureOf('{}') };
    expect((await askServer(adminPort, '/_reload', { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });
});

describe('a webhook', () => {
  test('is a hint to the source of the first content', async () => {
    const { send, hints } = await begin();
    const { status, body, headers } = await send({});
    expect([status, body.length, headers['cache-control']]).toEqual([204, 0, 'no-store']);
    expect(hints).toEqual([['main', published]]);
  });

  test('is a hint to the source of the content that the query names', async () => {
    const { send, hints } = await begin();
    expect((await send({ query: '?content=second' })).status).toBe(204);
    expect(hints).toEqual([['second', published]]);
  });

  test('is taken whatever its keys are', async () => {
    const { send, hints } = await begin();
    for (const body of ['{}', '{"event":"trigger-test"}', '{"entry":"null"}']) {
      expect((await send({ body })).status).toBe(204);
    }
    expect(hints.map(([, body]) => body)).toEqual([{}, { event: 'trigger-test' }, { entry: 'null' }]);
  });

  test('may have a mebibyte', async () => {
    const { send, hints } = await begin();
    const body = JSON.stringify({ event: 'entry.update', entry: 'x'.repeat(2 ** 20 - 100) });
    expect((await send({ body })).status).toBe(204);
    expect(hints).toHaveLength(1);
  });

  test.each<[string, Sent, number, string]>([
    ['without a token', { token: '' }, 401, 'Send a token of admin.tokens as "Authorization: Bearer TOKEN"'],
    ['with a wrong token', { token: 'wrong' }, 401, 'Send a token of admin.tokens as "Authorization: Bearer TOKEN"'],
    [
      'of a token without the right',
      { token: 'deploy' },
      403,
      'The token "deploy" lacks the right "hooks" (admin.tokens)',
    ],
    ['for an unknown content', { query: '?content=none' }, 404, 'There is no content "none"'],
    ['without a source', { query: '?content=third' }, 404, 'The content "third" does not follow a source'],
    [
      'with another parameter',
      { query: '?name=main' },
      400,
      'query: "name" is unknown or given twice; only "content" is read',
    ],
    ['of another media type', { type: 'text/plain' }, 415, 'Send JSON (application/json), without Content-Encoding'],
    ['that is no JSON', { body: '{"event":' }, 400, 'body: 1:10: invalid JSON: expected a value'],
    ['that is no object', { body: '[1]' }, 400, 'body: must be an object, is [1]'],
    ['that is too large', { body: `"${'x'.repeat(2 ** 20)}"` }, 413, 'The JSON takes more than 1048576 bytes'],
  ])('%s is refused', async (_, sent, status, message) => {
    const { send, hints } = await begin();
    const answer = await send(sent);
    expect([answer.status, messageOf(answer)]).toEqual([status, message]);
    expect(hints).toEqual([]);
  });

  test('is refused if no token has the right', async () => {
    const { send } = await begin({ admin: { tokens: [admin.tokens[1]] } });
    const answer = await send({ token: 'deploy' });
    expect([answer.status, messageOf(answer)]).toEqual([
      403,
      'No token may do this: give one in admin.tokens the right "hooks"',
    ]);
  });

  test('waits for the content', async () => {
    const { adminPort } = await startEmpty({ adminPort: 0, admin });
    const answer = await send(adminPort, {});
    expect([answer.status, messageOf(answer)]).toEqual([503, 'The snapshot is being loaded']);
  });

  test('is posted', async () => {
    const { adminPort } = await begin();
    const { status, headers } = await askServer(adminPort, '/_hooks/strapi');
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });
});
