// The handler of the webhook takes signed events only, and says when an event has to be sent again.
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type StaleEvent, webhookHandler } from '../../src/adapters/stale-event.ts';
import { eventRequest, secret } from './events.ts';

const event: StaleEvent = { content: 'main', version: '1795392000000-17', tags: ['all', 'api::article.article'] };

afterEach(() => void vi.restoreAllMocks());

/** Hands a request to a handler. Returns the status, and the events that were taken. */
async function handle(request: Request, key: string | undefined = secret) {
  const taken: StaleEvent[] = [];
  const { status } = await webhookHandler(key, (each) => void taken.push(each))(request);
  return { status, taken };
}

test('a signed event is taken', async () => {
  expect(await handle(eventRequest(event))).toEqual({ status: 204, taken: [event] });
  const reset = { ...event, tags: null };
  expect(await handle(eventRequest(reset))).toEqual({ status: 204, taken: [reset] });
});

test('an event of 10,000 tags of 128 characters is taken', async () => {
  const tags = Array.from({ length: 10_000 }, (_, i) => String(i).padEnd(128, 'x'));
  const { status, taken } = await handle(eventRequest({ ...event, tags }));
  expect(status).toBe(204);
  expect(taken[0].tags).toEqual(tags);
});

describe('a request is rejected', () => {
  const body = JSON.stringify(event);
  const right = createHmac('sha256', secret).update(body).digest('hex');

  test.each([
    ['without a signature', null],
    ['with that of another secret', `sha256=${createHmac('sha256', 'another secret').update(body).digest('hex')}`],
    ['with that of another body', `sha256=${createHmac('sha256', secret).update(`${body} `).digest('hex')}`],
    ['with a shorter one', `sha256=${right.slice(0, 62)}`],
    ['with a longer one', `sha256=${right}00`],
    ['with one in capitals', `sha256=${right.toUpperCase()}`],
    ['without the name of the digest', right],
    ['with an empty one', ''],
    ['with other characters', `sha256=${'g'.repeat(64)}`],
  ])('%s', async (_, signature) => {
    expect(await handle(eventRequest(body, signature))).toEqual({ status: 401, taken: [] });
  });

  test.each([
    ['that is empty', ''],
    ['that is no JSON', '{'],
    ['that is null', 'null'],
    ['that is a list', '[]'],
    ['without tags', '{"content":"main","version":"1-1"}'],
    ['with a tag that is no text', '{"content":"main","version":"1-1","tags":[1]}'],
    ['without a version', '{"content":"main","tags":null}'],
  ])('with a body %s', async (_, text) => {
    expect(await handle(eventRequest(text))).toEqual({ status: 400, taken: [] });
  });

  test('with a body of more than 4 MiB, of which no more is read', async () => {
    let pulled = 0;
    const stream = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(2 ** 20));
      },
    });
    const init = { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
    expect(await handle(new Request('http://127.0.0.1/', init))).toEqual({ status: 413, taken: [] });
    expect(pulled).toBeLessThan(8);
  });

  test.each([[undefined], ['']])('by a handler whose secret is %j', async (key) => {
    const taken = vi.fn();
    const { status } = await webhookHandler(key, taken)(eventRequest(event));
    expect(status).toBe(500);
    expect(taken).not.toHaveBeenCalled();
  });
});

test('an event that fails is logged and gets a 502, so that Lectern sends it again', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const handler = webhookHandler(secret, async () => {
    throw new Error('the disk is full');
  });
  const response = await handler(eventRequest(event));
  expect([response.status, await response.text()]).toEqual([502, 'the disk is full\n']);
  expect(log).toHaveBeenCalledOnce();
});
