import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Work in steps, each of which takes at most some milliseconds. Nothing that it reads may change between them. The name
 * of a function that returns steps ends with `InSteps`, because its result does nothing until it is run.
 */
export type Steps<Result> = Generator<void, Result>;

/** A step of work runs until this many milliseconds have passed. */
const stepMilliseconds = 1;

/** Runs a generator to its end, with turns of the event loop between its steps. */
export async function runInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let started = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - started < stepMilliseconds) continue;
    await nextTurn();
    started = performance.now();
  }
}

/** Runs a generator to its end, in this turn of the event loop. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Calls a function for each item of all parts, with turns of the event loop between the calls. */
export async function takeInTurns<Item>(
  parts: AsyncIterable<readonly Item[]>,
  take: (item: Item) => void,
): Promise<void> {
  let started = performance.now();
  for await (const items of parts) {
    for (const item of items) {
      take(item);
      if (performance.now() - started < stepMilliseconds) continue;
      await nextTurn();
      started = performance.now();
    }
  }
}
