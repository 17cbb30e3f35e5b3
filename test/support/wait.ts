import { vi } from 'vitest';

/** Ends a wait for something that never happens. It is long, because a busy machine may need ten times as long. */
const timeout = 60_000;

/** Calls a function until it does not throw. */
export function waitFor<T>(succeeds: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(succeeds, { timeout, interval: 10 });
}

/** Calls a function until it returns a value that is true, and returns this value. */
export function waitUntil<T>(isReached: () => T | Promise<T>) {
  return vi.waitUntil(isReached, { timeout, interval: 5 });
}
