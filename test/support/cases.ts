/**
 * The number of cases of a test with many, or another size that decides its time: `full` in `.ci/run`, which sets
 * TEST_CASES=full, and `usual` in all other runs.
 */
export function caseCount(full: number, usual: number): number {
  return process.env.TEST_CASES === 'full' ? full : usual;
}
