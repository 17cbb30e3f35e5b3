import type { Compact } from '../../src/changes/compact/compact-in-thread.ts';
import { compactStore } from '../../src/changes/compact/compact-store.ts';
import { heapAllocator } from '../../src/core/memory/allocator.ts';
import { runInTurns } from '../../src/core/steps.ts';
import { imageContentOf } from '../../src/load/image/load-image.ts';
import { attachStore, describeStoreInSteps } from '../../src/store/attach-store.ts';

/** Compacts as a thread does, in this thread: threads run built code only. */
export const compactHere: Compact = async (loaded) => {
  const { store, facts } = imageContentOf(loaded);
  const described = await runInTurns(describeStoreInSteps(store));
  return compactStore(attachStore(store.schema, described), facts, heapAllocator);
};

/** A compaction that begins when it is released. */
export class HeldCompaction {
  #release: (() => void) | null = null;
  #held: Promise<void> = Promise.resolve();

  readonly compact: Compact = async (...input) => {
    await this.#held;
    return compactHere(...input);
  };

  get isHeld(): boolean {
    return this.#release !== null;
  }

  hold(): void {
    this.#held = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release?.();
    this.#release = null;
  }
}
