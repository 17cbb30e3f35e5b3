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

/** Each round begins elsewhere in the list, so that nobody always runs after the same one. */
export function startingElsewhere<Item>(items: Item[], round: number, rounds: number): Item[] {
  const start = Math.floor((round * items.length) / rounds);
  return [...items.slice(start), ...items.slice(0, start)];
}
