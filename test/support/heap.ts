const collect = globalThis.gc!;

/** Bytes of the heap and of buffers outside it that are in use. */
export function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Calls `use` with 1 to `count` and returns the bytes that are held more than before. */
export async function heldAfter(count: number, use: (number: number) => unknown): Promise<number> {
  await use(0);
  const before = usedBytes();
  for (let number = 1; number <= count; number++) {
    const result = use(number);
    if (result instanceof Promise) await result;
  }
  return usedBytes() - before;
}
