/** Looks become rarer while nothing changes, up to `follow.lookSeconds`. */
import { expect, test, vi } from 'vitest';
import { PollingWatch } from '../../src/follow/database/polling-watch.ts';

function watchOf(longestPause: number) {
  const seen = { mark: 'one', isStandby: false };
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const watch = new PollingWatch({ look: async () => seen, close: () => {} }, { shortest: 100, longest: longestPause });
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
