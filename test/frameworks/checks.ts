/** Counts what holds, and prints it. */
export class Checks {
  passed = 0;
  failed = 0;

  /** Prints what is checked, with the result. */
  holds(what: string, holds: boolean): void {
    if (holds) this.passed++;
    else this.failed++;
    console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}`);
  }

  equal(what: string, actual: unknown, expected: unknown): void {
    const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.holds(got === wanted ? what : `${what}: ${got}, expected ${wanted}`, got === wanted);
  }
}
