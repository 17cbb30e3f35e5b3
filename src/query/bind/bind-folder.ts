/** `folder`: the files of a folder and of those below it. */
import { ValidationError } from '../../core/errors.ts';
import { fileType } from '../../model/schema/schema.ts';
import type { Binding, RouteContext } from '../policies.ts';
import type { QueryTree } from '../syntax/query-tree.ts';

/** The parameter of the feature `fileFolders`. */
export const folderParameter = 'folder';

/**
 * Returns the names of the folders that lead to files, the outermost first; none for files in no folder. Null if the query
 * does not ask for a folder. Throws for a value that is no text, and for routes of other types if the dialect rejects
 * unknown parameters.
 */
export function bindFolder(binding: Binding, route: RouteContext, { parameters }: QueryTree): readonly string[] | null {
  if (!binding.features.has('fileFolders')) return null;
  const node = parameters.find(({ param }) => param === folderParameter);
  if (!node || node.raw === undefined) return null;
  if (route.type.uid !== fileType) {
    if (binding.policies.request.ignoresUnknownParameters) return null;
    const details = { key: folderParameter, path: null, source: 'query', param: folderParameter, value: node.raw };
    throw new ValidationError(`Invalid key ${folderParameter}: only files are in folders`, details);
  }
  if (node.kind !== 'text') throw binding.policies.errors.notText(node);
  return node.raw === '' ? [] : node.raw.split('/');
}
