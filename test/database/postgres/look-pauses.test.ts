/** Looks become rarer while nothing changes, up to `follow.lookSeconds`. */
import { expect, test, vi } from 'vitest';
import { PostgresWatch } from '../../../src/follow/database/postgres/follow-postgres.ts';
import type { PostgresClient } from '../../../src/load/database/postgres/postgres-client.ts';

function watchOf(longestPause: number) {
  const seen = { mark: 'one', server: '', isStandby: false };
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const watch = new PostgresWatch({ look: async () => seen } as unknown as PostgresClient, longestPause);
  return {
    seen,
    watch,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test('ten looks a second by default', async () => {
  const { watch, pass } = watchOf(100);
  await watch.mark();
  pass(3_600_000);
  await watch.mark();
  expect(watch.untilLook).toBe(100);
});

test('rarer looks while nothing is committed, and frequent ones after a commit', async () => {
  const { watch, seen, pass } = watchOf(300_000);
  await watch.mark();
  expect(watch.untilLook).toBe(100);
  pass(60_000);
  await watch.mark();
  expect(watch.untilLook).toBe(3000);
  pass(24 * 3_600_000);
  await watch.mark();
  expect(watch.untilLook).toBe(300_000);
  seen.mark = 'two';
  await watch.mark();
  expect(watch.untilLook).toBe(100);
});
