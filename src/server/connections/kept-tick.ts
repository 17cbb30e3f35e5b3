import { executionAsyncResource } from 'node:async_hooks';

const keptTicks: object[] = [];

/**
 * Keeps one of the objects that Node creates for every tick, about five per request. V8 holds their hidden class weakly
 * and can collect it while no tick is pending, for example while a snapshot is loading. Code that was optimised for the
 * class is then never optimised for it again, and each tick takes four to eight times as long. Call it before loading.
 */
export function keepTick(): void {
  process.nextTick(() => keptTicks.push(executionAsyncResource()));
}
