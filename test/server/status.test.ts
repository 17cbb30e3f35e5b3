import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { openThings, start, startEmpty, stopServersAfterEach } from '../support/server.ts';

/** `GET /_status` on the admin port: the rights of a token, and the warnings that it may see. */

stopServersAfterEach();

const rights = ['reload', 'contents', 'events', 'changes', 'pin', 'hooks'];
const tokens = [...rights, 'all'].map((name) => ({
  name,
  sha256: sha256(name),
  rights: name === 'all' ? rights : [name],
}));
const settings = { adminPort: 0, admin: { tokens } };

const ask = (port: number, token: string | null, method = 'GET') =>
  askServer(port, '/_status', { method, headers: token === null ? {} : { Authorization: `Bearer ${token}` } });

/** Content with one mistake that a tolerant load serves. */
const openMistaken = () =>
  open(thingSnapshot({ title: { type: 'text' } }, [{ documentId: 'one', title: 'One', colour: 'red' }]), {
    tolerance: 'tolerant',
  });

test('answers every token of admin.tokens with its name and rights', async () => {
  const { adminPort } = await start(settings);
  for (const { name, rights } of tokens) {
    const { status, headers, json } = await ask(adminPort, name);
    expect([status, json().token]).toEqual([200, { name, rights }]);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['set-cookie']).toBe(undefined);
  }
});

test.each([
  ['reload', true],
  ['contents', true],
  ['changes', true],
  ['all', true],
  ['events', false],
  ['pin', false],
  ['hooks', false],
])('shows a token with the right "%s" the warnings: %s', async (token, isShown) => {
  const { adminPort } = await start(settings, await openMistaken());
  const { contents } = (await ask(adminPort, token)).json();
  const warning = { kind: 'unknown-key', count: 1, message: expect.stringContaining('colour') };
  expect(contents).toEqual([isShown ? { name: 'main', warnings: [warning] } : { name: 'main' }]);
});

test('names no content while the first is being loaded', async () => {
  const { adminPort } = await startEmpty(settings);
  expect((await ask(adminPort, 'all')).json().contents).toEqual([]);
});

describe('refuses', () => {
  test.each([
    ['no token', null],
    ['an unknown token', 'guessed'],
    ['the digest of a token', sha256('all')],
  ])('%s', async (_, token) => {
    const { adminPort } = await start(settings);
    const { status, body } = await ask(adminPort, token);
    expect(status).toBe(401);
    expect(body.toString()).not.toContain('main');
  });

  test('everybody without configured tokens, and says what to configure', async () => {
    const { adminPort } = await start({ adminPort: 0 });
    const message = expect.stringContaining('No token may do this: give one in admin.tokens the right "reload" or ');
    expect((await ask(adminPort, 'all')).json().error).toMatchObject({ status: 403, message });
  });

  test('other methods', async () => {
    const { adminPort } = await start(settings);
    expect((await ask(adminPort, 'all', 'POST')).status).toBe(405);
  });

  test('requests on the main port', async () => {
    const { port } = await start(settings, await openThings());
    expect((await ask(port, 'all')).status).toBe(404);
  });
});
