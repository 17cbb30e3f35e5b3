import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Codings } from '../../src/http/codings.ts';
import { createHandler, type RequestHooks } from '../../src/http/content-handler.ts';
import { askServer, closeServers, listen } from '../support/http.ts';

afterEach(closeServers);

test('the time of a reply includes the wait for its compression, and the time to make it does not', async () => {
  const codings = {
    choose: () => 'gzip',
    encode: () => delay(60).then(() => Buffer.from('compressed')),
  } as unknown as Codings;
  const answerPath = () => ({ status: 200, headers: {}, body: Buffer.from('plain') });
  const times: [milliseconds: number, made: number][] = [];
  const hooks: RequestHooks = {
    headers: () => ['Vary', 'Origin'],
    onReady: (_exchange, _status, _route, milliseconds, made) => void times.push([milliseconds, made]),
    onError: () => {},
  };
  const handle = createHandler({ answerPath, codings }, hooks);
  const port = await listen((request, response) => handle(request, response, 'things'));
  expect((await askServer(port, '/api/things')).body.toString()).toBe('compressed');
  const [[milliseconds, made]] = times;
  expect(milliseconds).toBeGreaterThan(50);
  expect(made).toBeLessThan(milliseconds - 40);
});
