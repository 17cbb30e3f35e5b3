import type { EntryType } from '../model/schema.ts';
import type { AdjacencyPair, PolymorphicAdjacency } from '../sets/adjacency.ts';
import type { BitSet } from '../sets/bit-set.ts';
import type { Column } from './column.ts';
import type { JsonRows } from './json-rows.ts';

/** The rows of one content type or component, in ascending order of id. */
export interface Collection {
  readonly type: EntryType;
  /** Its place in the store's list of collections. */
  readonly number: number;
  readonly rowCount: number;
  readonly columns: ReadonlyMap<string, Column>;
  readonly jsonRows: JsonRows;
  /** The stored JSON of attributes that replies show differently, as text. */
  readonly jsonTexts: ReadonlyMap<string, Column>;
  /** Relations, media and components, by attribute. */
  readonly links: ReadonlyMap<string, AdjacencyPair>;
  /** Polymorphic relations and dynamic zones, by attribute. */
  readonly polymorphic: ReadonlyMap<string, PolymorphicAdjacency>;
  /** Kept ready: all rows; and, for a type with drafts, those of each status. */
  readonly allRows: BitSet;
  readonly published: BitSet | null;
  readonly drafts: BitSet | null;
}

/** The rows of one status. All rows for a type without drafts. */
export function rowsOfStatus(collection: Collection, status: 'published' | 'draft'): BitSet {
  return (status === 'published' ? collection.published : collection.drafts) ?? collection.allRows;
}
