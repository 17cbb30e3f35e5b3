/**
 * Returns an array that counts how many of its numbers are read one by one, or by a method that visits all of them. Parts
 * of the array are not watched.
 */
export function countReads<Numbers extends Uint32Array | Float64Array>(numbers: Numbers) {
  let reads = 0;
  const counted = new Proxy(numbers, {
    get: (_, key) => {
      const value: unknown = Reflect.get(numbers, key);
      if (typeof value === 'number' && key !== 'length') reads++;
      if (typeof value !== 'function') return value;
      if (key !== 'subarray' && key !== 'slice') reads += numbers.length;
      return value.bind(numbers);
    },
  });
  return { counted, reads: () => reads };
}
