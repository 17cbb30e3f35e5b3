import { type Allocator, heapAllocator } from '../../../core/memory/allocator.ts';
import { runAtOnce } from '../../../core/steps.ts';
import type { Column } from '../../columns/column.ts';
import type { Store } from '../../store.ts';
import { buildTrigramsInSteps } from '../../texts/build-trigrams.ts';
import type { TextSearch } from '../../texts/text-search.ts';

/** Returns the search of a column's texts; null for a column of other values, and for one whose search has no trigrams. */
export function searchOf({ dictionary }: Column): TextSearch | null {
  return 'textSearch' in dictionary && dictionary.textSearch.hasTrigrams ? dictionary.textSearch : null;
}

/**
 * Builds the trigram index of each column of texts of a store that is wanted and has none. `name` is an attribute, or the
 * name of what is compared in its place.
 */
export function indexTexts(
  { collections }: Store,
  isWanted: (uid: string, name: string) => boolean,
  allocator: Allocator = heapAllocator,
): void {
  for (const { type, columns, comparedTexts } of collections) {
    for (const [name, column] of [...columns, ...comparedTexts]) {
      const search = searchOf(column);
      if (!search || search.trigrams || !isWanted(type.uid, name)) continue;
      search.trigrams = runAtOnce(buildTrigramsInSteps(search.folded, allocator));
    }
  }
}
