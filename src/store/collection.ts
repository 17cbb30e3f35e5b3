import type { BitSet } from '../core/sets/bit-set.ts';
import type { EntryType } from '../model/schema/schema.ts';
import type { Column } from './columns/column.ts';
import type { JsonRows } from './json-rows.ts';
import type { Adjacency, AdjacencyPair, PolymorphicAdjacency } from './links/adjacency.ts';

/** The rows of one content type or component, in the order that row-order.ts defines. */
export interface Collection {
  readonly type: EntryType;
  /** Its position in the store's list of collections. */
  readonly number: number;
  readonly rowCount: number;
  /** The greatest id that a row of the type has or had, before the store was compacted too. */
  readonly greatestId: number;
  readonly columns: ReadonlyMap<string, Column>;
  readonly jsonRows: JsonRows;
  /**
   * What comparisons of the dialect read in place of values: JSON and blocks as text by attribute, and the keys of a
   * collation by `orderKeysOf` and `searchKeysOf` an attribute.
   */
  readonly comparedTexts: ReadonlyMap<string, Column>;
  /** Relations, media and components, by attribute. */
  readonly links: ReadonlyMap<string, AdjacencyPair>;
  /** Polymorphic relations and dynamic zones, by attribute. */
  readonly polymorphic: ReadonlyMap<string, PolymorphicAdjacency>;
  /**
   * From each row to all rows of its document, itself among them; null if queries of the dialect do not follow them.
   */
  readonly versions: AdjacencyPair | null;
  /**
   * The rows in the order of the snapshot, in which localizations are listed. Null if the rows of each document are in
   * row order, and for a type without localizations or whose localizations are stored links.
   */
  readonly loadOrder: Uint32Array | null;
  readonly allRows: BitSet;
  /** The rows of each status; null for a type without drafts. Like all rows, they are shared: do not change them. */
  readonly published: BitSet | null;
  readonly drafts: BitSet | null;
}

/**
 * The rows of one status in a collection or a segment. A type without drafts has all rows in each. Shared: do not
 * change them.
 */
export function rowsOfStatus(
  { published, drafts, allRows }: Pick<Collection, 'published' | 'drafts' | 'allRows'>,
  status: 'published' | 'draft',
): BitSet {
  return (status === 'published' ? published : drafts) ?? allRows;
}

/** A name of the JSON of an attribute as text that differs from that of its values. */
export function jsonTextOf(attribute: string): string {
  return `${attribute}/json`;
}

/** The name of the keys by which the texts of an attribute are compared and sorted. */
export function orderKeysOf(attribute: string): string {
  return `${attribute}/order`;
}

/** The name of the keys in which parts of the texts of an attribute are looked for. */
export function searchKeysOf(attribute: string): string {
  return `${attribute}/search`;
}

/** The column of an attribute that has one. */
export function columnOf({ type, columns }: Collection, name: string): Column {
  const column = columns.get(name);
  if (!column) throw new Error(`${type.uid} has no column ${name}`);
  return column;
}

type CollectionLinks = Pick<Collection, 'links' | 'polymorphic' | 'versions'>;

/** Returns the adjacencies of a collection, each with a name such as `links/author/forward`. */
export function adjacenciesOf(collection: CollectionLinks): [name: string, adjacency: Adjacency][] {
  const found: [string, Adjacency][] = [];
  replaceAdjacencies(collection, (adjacency, name) => {
    found.push([name, adjacency]);
    return adjacency;
  });
  return found;
}

/** Returns the collection with each adjacency replaced by what `replace` returns for it and its name. */
export function replaceAdjacencies<From extends CollectionLinks>(
  collection: From,
  replace: <Links extends Adjacency>(adjacency: Links, name: string) => Links,
): From {
  const { links, polymorphic, versions } = collection;
  const replacePair = ({ forward, reverse }: AdjacencyPair, name: string): AdjacencyPair => {
    return { forward: replace(forward, `${name}/forward`), reverse: replace(reverse, `${name}/reverse`) };
  };
  return {
    ...collection,
    links: new Map(Array.from(links, ([name, pair]) => [name, replacePair(pair, `links/${name}`)])),
    polymorphic: new Map(Array.from(polymorphic, ([name, one]) => [name, replace(one, `polymorphic/${name}`)])),
    versions: versions && replacePair(versions, 'versions'),
  };
}

/** Returns the attribute of a column of `comparedTexts`. */
export function attributeOf(name: string): string {
  return name.split('/')[0];
}
