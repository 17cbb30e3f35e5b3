/** The first of 0..length - 1 for which `test` is true, or `length`. The test is true for all that follow as well. */
export function firstWhere(length: number, test: (i: number) => boolean): number {
  let low = 0;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
