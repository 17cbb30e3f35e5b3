import type { z } from 'zod';
import { describeProblem } from '../core/describe-problem.ts';
import type { Problems } from '../core/problems.ts';

/** A value that is validated part by part. Messages name the path of a part in it. */
export interface Whole {
  readonly value: unknown;
  /** The schema of the whole value. */
  readonly schema: z.ZodType;
  /** The path of the part. */
  readonly path: readonly PropertyKey[];
}

/** Returns a value as its schema reads it. Returns null and reports the problems at `location` if it is invalid. */
export function validate<T extends z.ZodType>(
  schema: T,
  value: unknown,
  location: string,
  problems: Problems,
  whole: Whole = { value, schema, path: [] },
): z.output<T> | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const path = [...whole.path, ...issue.path];
    problems.add(location, () => describeProblem({ ...issue, path }, whole.value, whole.schema));
  }
  return null;
}
