import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { preview } from '../../core/problems.ts';
import { loading, unavailable } from '../../http/error-replies.ts';

/**
 * Returns the entry that the query parameter `content` names, by default the first one. `served` is null while the first
 * content is being loaded. Throws a RequestError.
 */
export function namedContent(served: ServedContents | null, url: string): ServedContents & { entry: ContentEntry } {
  if (!served) throw unavailable(loading);
  const { contents } = served;
  const name = readQueryParameter(url, 'content');
  const entry = name === null ? contents.first : contents.get(name);
  if (!entry) throw new NotFoundError(`There is no content "${name}"`);
  return { ...served, entry };
}

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
