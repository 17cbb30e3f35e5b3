import type { z } from 'zod';
import { describeProblem } from '../base/describe-problem.ts';
import type { Problems } from '../base/problems.ts';

/** Returns a value as its schema reads it. Returns null and reports the problems at `location` if it is invalid. */
export function validate<T extends z.ZodType>(
  schema: T,
  value: unknown,
  location: string,
  problems: Problems,
): z.output<T> | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) problems.add(location, describeProblem(issue, value, schema));
  return null;
}
