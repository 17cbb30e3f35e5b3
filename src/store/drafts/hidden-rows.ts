/**
 * Finds the rows that drafts hide. A draft hides the published row of the same document and locale, with its
 * components. All other rows are shown.
 */

import { BitSet } from '../../core/sets/bit-set.ts';
import { isPolymorphic } from '../../model/schema/schema.ts';
import { type Collection, columnOf } from '../collection.ts';
import { type Adjacency, collectionsOf, type PolymorphicAdjacency, targetsOf } from '../links/adjacency.ts';
import { readText } from '../read-value.ts';
import { changedRows, documentIn, rowsOfDocument } from '../rows-of-document.ts';
import type { Segment } from '../segment.ts';
import type { Store } from '../store.ts';

/** The rows that drafts hide in a segment. */
export interface HiddenRows {
  readonly hidden: BitSet;
  /** Documents with a draft in one locale, and a published row without a draft in another. */
  readonly mixed: ReadonlySet<string>;
  /** Returns the draft of a hidden row. */
  draftOf(hidden: number): number;
}

/** The rows that drafts hide in a collection without its changes. */
interface HiddenInCollection {
  readonly hidden: BitSet;
  readonly shown: BitSet;
  /** One row of each mixed document. */
  readonly mixed: readonly number[];
}

/** By the published rows of a collection. All stores over a collection share the two sets of rows. */
const ofCollections = new WeakMap<BitSet, HiddenInCollection>();

/**
 * Returns the rows that drafts hide in a collection. The first call takes a time linear in the rows: 2 ms for 100,000.
 */
export function hiddenInCollection(collection: Collection, published: BitSet): HiddenInCollection {
  let found = ofCollections.get(published);
  if (!found) ofCollections.set(published, (found = hideInCollection(collection, published)));
  return found;
}

function hideInCollection(collection: Collection, published: BitSet): HiddenInCollection {
  const hidden = new BitSet(collection.rowCount);
  const mixed: number[] = [];
  const { offsets, rows } = columnOf(collection, 'documentId').index;
  const draftOf = storedDraftFinder(collection, published);
  // the rows with code 0 have no documentId
  for (let document = 1; document + 1 < offsets.length; document++) {
    const start = offsets[document];
    const end = offsets[document + 1];
    let publishedCount = 0;
    for (let i = start; i < end; i++) if (published.has(rows[i])) publishedCount++;
    if (publishedCount === 0 || publishedCount === end - start) continue;
    let hiddenCount = 0;
    for (let i = start; i < end; i++) {
      if (!published.has(rows[i]) || draftOf(rows[i]) < 0) continue;
      hidden.add(rows[i]);
      hiddenCount++;
    }
    if (hiddenCount < publishedCount) mixed.push(rows[start]);
  }
  return { hidden, shown: BitSet.full(collection.rowCount).subtract(hidden), mixed };
}

/** Returns a function that finds the draft of a published row among rows without changes, or -1. It compares codes. */
function storedDraftFinder(collection: Collection, published: BitSet): (row: number) => number {
  const { codes, index } = columnOf(collection, 'documentId');
  const { offsets, rows } = index;
  const locales = collection.columns.get('locale')?.codes;
  return (row) => {
    const document = codes[row];
    for (let i = offsets[document]; i < offsets[document + 1]; i++) {
      const version = rows[i];
      if (!published.has(version) && locales?.[version] === locales?.[row]) return version;
    }
    return -1;
  };
}

/**
 * Returns the rows that drafts hide in a segment; null for a type without drafts. Takes a time that grows with the
 * changes and the mixed documents, and copies a bit set.
 */
export function hiddenInSegment(segment: Segment): HiddenRows | null {
  const { collection, published, delta, dead, rowCount } = segment;
  if (!published) return null;
  const stored = hiddenInCollection(collection, collection.published!);
  const storedDraft = storedDraftFinder(collection, collection.published!);
  const hidden = delta || dead.length > 0 ? copyOf(stored.hidden, rowCount) : stored.hidden;
  const mixed = new Set(stored.mixed.map((row) => documentIn(collection, row)!));
  /** The drafts of documents that changed, by hidden row. */
  const drafts = new Map<number, number>();
  for (const document of changedDocuments(segment, hidden)) {
    mixed.delete(document);
    const versions = rowsOfDocument(segment, document);
    const localeOf = (row: number) => readText(segment, row, 'locale');
    for (const row of versions) {
      hidden.delete(row);
      if (!published.has(row)) continue;
      const draft = versions.find((other) => !published.has(other) && localeOf(other) === localeOf(row));
      if (draft !== undefined) {
        hidden.add(row);
        drafts.set(row, draft);
      } else if (versions.some((other) => !published.has(other))) mixed.add(document);
    }
  }
  return { hidden, mixed, draftOf: (row) => drafts.get(row) ?? storedDraft(row) };
}

function copyOf({ words }: BitSet, size: number): BitSet {
  const copy = new BitSet(size);
  copy.words.set(words);
  return copy;
}

/** Returns the documents of changed rows, before and after the changes. Removes these rows from `hidden`. */
function changedDocuments(segment: Segment, hidden: BitSet): Set<string> {
  const documents = new Set<string>();
  for (const row of changedRows(segment)) {
    hidden.delete(row);
    for (const document of [documentIn(segment.collection, row), readText(segment, row, 'documentId')]) {
      if (document !== null) documents.add(document);
    }
  }
  return documents;
}

/**
 * Adds the components of hidden rows. `hidden` has the set of each collection by number, or null. Takes a time linear
 * in the hidden rows and their components.
 */
export function hideComponents({ segments }: Store, hidden: (BitSet | null)[]): void {
  const owned = segments.map(({ collection }) => componentLinks(collection, segments));
  const hideComponentsOf = (number: number, row: number) => {
    for (const { links, target } of owned[number]) {
      const collections = target === null ? collectionsOf(links as PolymorphicAdjacency, row) : null;
      for (const [i, component] of targetsOf(links, row).entries()) {
        const collection = target ?? collections![i];
        hidden[collection] ??= new BitSet(segments[collection].rowCount);
        hidden[collection].add(component);
        hideComponentsOf(collection, component);
      }
    }
  };
  for (const [number, rows] of [...hidden.entries()]) {
    if (!rows || owned[number].length === 0) continue;
    for (const row of rows.toArray()) hideComponentsOf(number, row);
  }
}

/** Links to components. `target` is the number of their collection; null for a dynamic zone. */
interface ComponentLinks {
  readonly links: Adjacency;
  readonly target: number | null;
}

function componentLinks({ type, links, polymorphic }: Collection, segments: readonly Segment[]): ComponentLinks[] {
  return Array.from(type.attributes.values()).flatMap((attribute): ComponentLinks[] => {
    const { name, kind } = attribute;
    if (kind !== 'component' && kind !== 'dynamiczone') return [];
    const found = isPolymorphic(attribute) ? polymorphic.get(name) : links.get(name)?.forward;
    if (!found) return [];
    const isTarget = ({ collection }: Segment) => !isPolymorphic(attribute) && collection.type.uid === attribute.target;
    return [{ links: found, target: isPolymorphic(attribute) ? null : segments.findIndex(isTarget) }];
  });
}
