import { ValidationError } from '../core/errors.ts';
import { preview } from '../core/problems.ts';

/**
 * Returns the value of the only query parameter that a route reads, or null if it is absent. Throws a ValidationError for
 * another parameter, which may be a misspelt one, and for one that is given twice.
 */
export function readQueryParameter(url: string, name: string): string | null {
  return readQueryParameters(url, [name])[name];
}

/** As `readQueryParameter`, for a route that reads several. */
export function readQueryParameters<Name extends string>(
  url: string,
  names: readonly Name[],
): Record<Name, string | null> {
  const { searchParams } = new URL(url, 'http://localhost');
  const known: readonly string[] = names;
  const given = [...searchParams.keys()];
  const wrong = given.find((name, i) => !known.includes(name) || given.indexOf(name) < i);
  if (wrong !== undefined) {
    const read = names.length === 1 ? `"${names[0]}" is` : `${names.join(', ')} are`;
    throw new ValidationError(`query: ${preview(wrong)} is unknown or given twice; only ${read} read`);
  }
  return Object.fromEntries(names.map((name) => [name, searchParams.get(name)])) as Record<Name, string | null>;
}
