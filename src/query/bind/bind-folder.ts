/** `folder`: the files of a folder and of those below it. */
import { fileType } from '../../model/schema/schema.ts';
import type { Binding, RouteContext } from '../policies.ts';
import type { QueryTree } from '../syntax/query-tree.ts';
import { featureParameter, wrongParameter } from './feature-parameters.ts';

/** The parameter of the feature `fileFolders`. */
export const folderParameter = 'folder';

/**
 * Returns the names of the folders that lead to files, the outermost first; none for files in no folder. Null if the query
 * does not ask for a folder. Throws for a value that is no text, and for routes of other types if the dialect rejects
 * unknown parameters.
 */
export function bindFolder(binding: Binding, route: RouteContext, tree: QueryTree): readonly string[] | null {
  const node = featureParameter(binding, 'fileFolders', tree, folderParameter);
  if (!node) return null;
  if (route.type.uid !== fileType) {
    if (binding.policies.request.ignoresUnknownParameters) return null;
    throw wrongParameter(folderParameter, node.raw, `Invalid key ${folderParameter}: only files are in folders`);
  }
  if (node.kind !== 'text') throw binding.policies.errors.notText(node);
  return node.raw === '' ? [] : node.raw.split('/');
}
