import { expect } from 'vitest';
import { type JsonSnapshot, type OpenOptions, open, SnapshotError } from '../../src/index.ts';

/** Returns the error of loading. Fails if the snapshot loads. */
export async function loadError(source: string | JsonSnapshot, options: OpenOptions = {}): Promise<SnapshotError> {
  try {
    await open(source, options);
  } catch (error) {
    if (error instanceof SnapshotError) return error;
    throw error;
  }
  throw new Error('the snapshot was loaded');
}

/** Expects loading to fail with a problem that contains all of `names`: file or type, entry, attribute. */
export async function expectProblem(source: string | JsonSnapshot, ...names: string[]): Promise<void> {
  const { problems, count } = await loadError(source);
  expect(count).toBeGreaterThanOrEqual(1);
  const found = problems.some((problem) => names.every((name) => problem.includes(name)));
  expect(found, `${JSON.stringify(names)} in ${JSON.stringify(problems)}`).toBe(true);
}
