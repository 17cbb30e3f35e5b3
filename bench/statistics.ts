/** Of numbers in ascending order, by the nearest rank. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))];
}

export function median(numbers: Iterable<number>): number {
  return quantile(Float64Array.from(numbers).sort(), 0.5);
}

export function geometricMean(numbers: number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}
