import { ValidationError } from '../core/errors.ts';
import { preview } from '../core/problems.ts';

/**
 * Returns the value of the only query parameter that a route reads, or null if it is absent. Throws a ValidationError for
 * another parameter, which may be a misspelt one, and for one that is given twice.
 */
export function readQueryParameter(url: string, name: string): string | null {
  const { searchParams } = new URL(url, 'http://localhost');
  const wrong = [...searchParams.keys()].find((key, i) => key !== name || i > 0);
  if (wrong !== undefined) {
    throw new ValidationError(`query: ${preview(wrong)} is unknown or given twice; only "${name}" is read`);
  }
  return searchParams.get(name);
}
