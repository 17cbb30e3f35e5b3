import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { endBatched, flushReplies } from '../../src/http/write-batching.ts';

afterEach(() => vi.restoreAllMocks());

/** Returns a response that adds its name to `ended`. */
function responseOf(name: string, ended: string[]): ServerResponse {
  const end = (_: unknown, done?: () => void) => {
    ended.push(name);
    done?.();
  };
  return { end } as unknown as ServerResponse;
}

test('ends the replies of one turn together, in order, after the turn', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const ended: string[] = [];
  for (const name of ['a', 'b']) endBatched(responseOf(name, ended), undefined, () => ended.push(`${name} done`));
  expect(ended).toEqual([]);
  await nextTurn();
  expect(ended).toEqual(['a', 'a done', 'b', 'b done']);
});

test('ends all replies at once when the first one has waited for more than a millisecond', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(10);
  const ended: string[] = [];
  endBatched(responseOf('a', ended), undefined);
  now.mockReturnValue(11);
  endBatched(responseOf('b', ended), undefined);
  expect(ended).toEqual([]);
  now.mockReturnValue(11.1);
  endBatched(responseOf('c', ended), undefined);
  expect(ended).toEqual(['a', 'b', 'c']);
});

test('ends each reply once, and one that is added while others end in a later batch', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const ended: string[] = [];
  endBatched(responseOf('a', ended), undefined, () => endBatched(responseOf('b', ended), undefined));
  flushReplies();
  expect(ended).toEqual(['a']);
  flushReplies();
  await nextTurn();
  expect(ended).toEqual(['a', 'b']);
});
