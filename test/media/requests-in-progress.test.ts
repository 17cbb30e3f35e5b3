import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { RequestsInProgress } from '../../src/http/files/open-uploads.ts';

test('a response that fails has ended', async () => {
  const requests = new RequestsInProgress();
  const responses = [new EventEmitter(), new EventEmitter()];
  for (const response of responses) requests.add(response as ServerResponse);
  const ended = requests.ended();
  responses[0].emit('error', new Error('broken'));
  responses[1].emit('close');
  await expect(ended).resolves.toBeUndefined();
});
