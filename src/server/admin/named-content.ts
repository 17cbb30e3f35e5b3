import type { ContentEntry } from '../../content/registry/contents.ts';
import type { ServedContents } from '../../content/registry/served-contents.ts';
import { NotFoundError } from '../../core/errors.ts';
import { unavailable } from '../operations.ts';
import { readQueryParameter } from './query-parameter.ts';

/**
 * Returns the entry that the query parameter `content` names, by default the first one. `served` is null while the first
 * content is being loaded. Throws a RequestError.
 */
export function namedContent(served: ServedContents | null, url: string): ServedContents & { entry: ContentEntry } {
  if (!served) throw unavailable('The snapshot is being loaded');
  const { contents } = served;
  const name = readQueryParameter(url, 'content');
  const entry = name === null ? contents.first : contents.get(name);
  if (!entry) throw new NotFoundError(`There is no content "${name}"`);
  return { ...served, entry };
}
