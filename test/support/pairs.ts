/** Named choices, each with the values that matter. */
export type Choices = Record<string, readonly unknown[]>;

/**
 * Returns combinations of one value per choice that cover every pair of values of two choices.
 * Greedy: each combination begins with an uncovered pair and takes the value that covers most for each other choice.
 */
export function pairwise(choices: Choices): Record<string, unknown>[] {
  const names = Object.keys(choices);
  const key = (a: string, i: number, b: string, j: number) => (a < b ? `${a} ${i} ${b} ${j}` : `${b} ${j} ${a} ${i}`);
  const left = new Set<string>();
  for (const [at, a] of names.entries()) {
    for (const b of names.slice(at + 1)) {
      for (const i of choices[a].keys()) for (const j of choices[b].keys()) left.add(key(a, i, b, j));
    }
  }
  const combinations: Record<string, unknown>[] = [];
  while (left.size > 0) {
    const [a, i, b, j] = left.values().next().value!.split(' ');
    const taken = new Map([
      [a, Number(i)],
      [b, Number(j)],
    ]);
    for (const name of names) {
      if (taken.has(name)) continue;
      const gain = (index: number) =>
        Array.from(taken).filter(([other, at]) => left.has(key(name, index, other, at))).length;
      const indexes = Array.from(choices[name].keys());
      taken.set(
        name,
        indexes.reduce((best, index) => (gain(index) > gain(best) ? index : best)),
      );
    }
    const pairs = Array.from(taken);
    for (const [at, [name, index]] of pairs.entries()) {
      for (const [other, otherIndex] of pairs.slice(at + 1)) left.delete(key(name, index, other, otherIndex));
    }
    combinations.push(Object.fromEntries(names.map((name) => [name, choices[name][taken.get(name)!]])));
  }
  return combinations;
}
