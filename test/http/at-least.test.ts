/** The request header `X-Lectern-At-Least` in a router that is mounted in another app. */
import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { type AskOptions, askServer, closeServers, listen } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import { exchange } from '../support/server.ts';

afterEach(closeServers);

const settle = () => new Promise((resolve) => setTimeout(resolve, 50));

async function start() {
  const entries = [{ id: 1, documentId: 'one', name: 'first' }];
  const content: Content = await openShared(thingSnapshot({ name: { type: 'string' } }, entries), { public: true });
  const app = express();
  app.use('/content/api', content.router({ next: true }));
  app.use('/content', (_request, response) => void response.send('of the app'));
  const port = await listen(app);
  const ask = (least: string, path = '/content/api/things', options: AskOptions = {}) =>
    askServer(port, path, { ...options, headers: { 'X-Lectern-At-Least': least } });
  const [epoch] = content.version.split('-');
  const change = (name: string) =>
    content.apply({ changes: [{ patch: 'api::thing.thing', documentId: 'one', set: { name } }] });
  return { content, port, ask, epoch: Number(epoch), change };
}

const outcome = ({ status, json }: Awaited<ReturnType<typeof askServer>>) =>
  status === 200 ? (json().data.name ?? json().data[0].name) : [status, json().error.message];

describe('a router', () => {
  test('answers a request when its version is served', async () => {
    const { ask, epoch, change } = await start();
    expect(outcome(await ask(`${epoch}-0`))).toBe('first');
    const asked = [ask(`${epoch}-1`), ask(`${epoch}-1`, '/content/api/things/one?fields=name'), ask(`${epoch}-2`)];
    await settle();
    change('second');
    expect((await Promise.all(asked.slice(0, 2))).map(outcome)).toEqual(['second', 'second']);
    change('third');
    expect(outcome(await asked[2])).toBe('third');
  });

  test('rejects what it cannot wait for, and leaves other requests to the app', async () => {
    const { ask, epoch, port } = await start();
    expect(outcome(await ask('later'))).toEqual([400, expect.stringContaining('"later" is neither a version')]);
    expect(outcome(await ask('2026-11-28T18:00:00.000Z'))).toEqual([400, expect.stringContaining('follows no source')]);
    expect(outcome(await ask(`${epoch + 1}-0`))).toEqual([503, expect.stringContaining('has not loaded')]);
    expect(String((await ask(`${epoch}-1`, '/content/api/nothing')).body)).toBe('of the app');
    expect(String((await ask(`${epoch}-1`, undefined, { method: 'POST' })).body)).toBe('of the app');
    expect((await askServer(port, '/content/api/things')).headers.vary).toContain('X-Lectern-At-Least');
  });

  test('lets a thousand requests wait, each for two seconds', async () => {
    const { ask, epoch, content, port } = await start();
    const started = performance.now();
    // of one connection, so that all arrive before the first wait ends
    const head = (rest = '') =>
      `GET /content/api/things HTTP/1.1\r\nHost: a\r\nX-Lectern-At-Least: ${epoch}-1\r\n${rest}\r\n`;
    const text = await exchange(port, head().repeat(1000) + head('Connection: close\r\n'));
    expect(performance.now() - started).toBeGreaterThan(1900);
    const counts = new Map<string, number>();
    for (const [message] of text.matchAll(/(?<="message":").*?(?=","details")/g)) {
      counts.set(message, (counts.get(message) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({
      [`X-Lectern-At-Least: \\"${epoch}-1\\" was not served within 2 seconds`]: 1000,
      'Too many requests wait for a version: try again in a moment': 1,
    });
    expect(text.match(/HTTP\/1\.1 503 /g)).toHaveLength(1001);
    expect(text.match(/Retry-After: 1\r\n/g)).toHaveLength(1001);
    expect(outcome(await ask(content.version))).toBe('first');
  });
});
