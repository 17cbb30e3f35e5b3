import { describe, expect, test } from 'vitest';
import { Activity } from '../../src/admin-page/state/activity.ts';

/** When the page asks again. Times are in milliseconds since the page began. */

describe('a refresh is due', () => {
  test('five seconds after the one before', () => {
    const activity = new Activity(0);
    expect([4999, 5000].map((now) => activity.isDue(now))).toEqual([false, true]);
    activity.refresh(7000);
    expect([11_999, 12_000].map((now) => activity.isDue(now))).toEqual([false, true]);
  });

  test('not while a reply is awaited', () => {
    const activity = new Activity(0);
    const ends = [activity.begin(0), activity.begin(0)];
    expect(activity.isDue(60_000)).toBe(false);
    ends[0](200);
    expect(activity.isDue(60_000)).toBe(false);
    ends[1](200);
    expect(activity.isDue(60_000)).toBe(true);
  });

  test('later if the slowest reply took long, and as before when replies are fast again', () => {
    const activity = new Activity(0);
    activity.begin(0)(3000);
    activity.begin(0)(10);
    expect([29_999, 30_000].map((now) => activity.isDue(now))).toEqual([false, true]);
    activity.refresh(30_000);
    activity.begin(30_000)(30_010);
    expect(activity.isDue(35_000)).toBe(true);
  });

  test('after a minute at the latest, although a computer slept during a request', () => {
    const activity = new Activity(0);
    activity.begin(0)(36_000_000);
    activity.refresh(0);
    activity.begin(0)(36_000_000);
    expect([59_999, 60_000].map((now) => activity.isDue(now))).toEqual([false, true]);
  });
});
