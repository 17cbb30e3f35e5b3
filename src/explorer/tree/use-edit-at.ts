import type { ExploredQuery } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { unfoldAbove } from './edit-tree.ts';

/** Returns a function that edits what the query shows at a place of the tree. */
export function useEditAt(at: readonly string[]): (change: (query: ExploredQuery) => ExploredQuery) => void {
  const { schema, type, edit } = useExplored();
  return (change) => edit((query) => change(unfoldAbove(query, schema, type!, at)));
}
