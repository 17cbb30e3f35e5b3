/** The rows that are not shown where drafts stand in the place of published rows. */

import { BitSet } from '../../core/sets/bit-set.ts';
import { isPolymorphic } from '../../model/schema/schema.ts';
import { type Collection, columnOf } from '../collection.ts';
import { collectionsOf, targetsOf } from '../links/adjacency.ts';
import { readText } from '../read-value.ts';
import { changedRows, documentIn, rowsOfDocument } from '../rows-of-document.ts';
import type { Segment } from '../segment.ts';
import type { Store } from '../store.ts';

/** What the drafts of a collection hide, whatever the changes say. */
interface DraftsOfCollection {
  /** The published rows whose document has a draft in the same locale. */
  readonly hidden: BitSet;
  /** All others. */
  readonly shown: BitSet;
  /** One row of each document that has drafts, and published rows that are not hidden. */
  readonly mixed: readonly number[];
}

/** What the drafts of a segment hide. */
export interface DraftsOfSegment {
  readonly hidden: BitSet;
  /** The documents that have drafts, and published rows that are not hidden: those of other locales. */
  readonly mixed: ReadonlySet<string>;
}

/** By the published rows of a collection. Previews of the same base share these sets, which take two bits a row. */
const known = new WeakMap<BitSet, DraftsOfCollection>();

/** Takes a time linear in the rows for the first call for a base: 2 ms for 100,000. */
export function draftsOfCollection(collection: Collection, published: BitSet): DraftsOfCollection {
  let drafts = known.get(published);
  if (!drafts) known.set(published, (drafts = findDrafts(collection, published)));
  return drafts;
}

function findDrafts(collection: Collection, published: BitSet): DraftsOfCollection {
  const hidden = new BitSet(collection.rowCount);
  const mixed: number[] = [];
  const { offsets, rows } = columnOf(collection, 'documentId').index;
  const locales = collection.columns.get('locale');
  /** By code of a locale: the last document that has a draft in it. */
  const lastWithDraft = new Uint32Array((locales?.dictionary.size ?? 0) + 1);
  const localeOf = (row: number) => locales?.codes[row] ?? 0;
  // the rows with code 0 have no documentId
  for (let document = 1; document + 1 < offsets.length; document++) {
    const end = offsets[document + 1];
    let drafts = 0;
    for (let i = offsets[document]; i < end; i++) {
      if (published.has(rows[i])) continue;
      lastWithDraft[localeOf(rows[i])] = document;
      drafts++;
    }
    if (drafts === 0 || drafts === end - offsets[document]) continue;
    let isMixed = false;
    for (let i = offsets[document]; i < end; i++) {
      if (!published.has(rows[i])) continue;
      if (lastWithDraft[localeOf(rows[i])] === document) hidden.add(rows[i]);
      else isMixed = true;
    }
    if (isMixed) mixed.push(rows[offsets[document]]);
  }
  return { hidden, shown: BitSet.full(collection.rowCount).subtract(hidden), mixed };
}

/**
 * Returns what the drafts of a segment hide; null for a type without drafts. Takes a time that grows with the changes,
 * and copies a bit set.
 */
export function draftsOfSegment(segment: Segment): DraftsOfSegment | null {
  const { collection, delta, dead, published, rowCount } = segment;
  if (!published) return null;
  const stored = draftsOfCollection(collection, collection.published!);
  const mixed = new Set(stored.mixed.map((row) => documentIn(collection, row)!));
  if (!delta && dead.length === 0) return { hidden: stored.hidden, mixed };
  const hidden = new BitSet(rowCount);
  hidden.words.set(stored.hidden.words);
  const documents = new Set<string>();
  for (const row of changedRows(segment)) {
    hidden.delete(row);
    for (const document of [documentIn(collection, row), readText(segment, row, 'documentId')]) {
      if (document !== null) documents.add(document);
    }
  }
  for (const document of documents) {
    const rows = rowsOfDocument(segment, document);
    const drafts = rows.filter((row) => !published.has(row));
    const locales = new Set(drafts.map((row) => readText(segment, row, 'locale')));
    mixed.delete(document);
    for (const row of rows) {
      hidden.delete(row);
      if (!published.has(row)) continue;
      if (locales.has(readText(segment, row, 'locale'))) hidden.add(row);
      else if (drafts.length > 0) mixed.add(document);
    }
  }
  return { hidden, mixed };
}

/**
 * Returns a function that finds the draft which is shown in place of a hidden row. It compares codes if both are rows of
 * the collection: most do not change, and 40,000 links to hidden rows took 20 ms by the texts of documents.
 */
export function draftFinder(segment: Segment): (hidden: number) => number {
  const { collection, delta, live } = segment;
  const published = segment.published!;
  const { codes, index } = columnOf(collection, 'documentId');
  const { offsets, rows } = index;
  const locales = collection.columns.get('locale')?.codes;
  const isStored = (row: number) => row < collection.rowCount && !delta?.replaced.has(row);
  const findByText = (hidden: number) => {
    const locale = readText(segment, hidden, 'locale');
    const versions = rowsOfDocument(segment, readText(segment, hidden, 'documentId')!);
    return versions.find((row) => !published.has(row) && readText(segment, row, 'locale') === locale)!;
  };
  return (hidden) => {
    if (!isStored(hidden)) return findByText(hidden);
    const code = codes[hidden];
    for (let i = offsets[code]; i < offsets[code + 1]; i++) {
      const row = rows[i];
      if (published.has(row) || locales?.[row] !== locales?.[hidden]) continue;
      if (isStored(row) && live?.has(row) !== false) return row;
    }
    return findByText(hidden);
  };
}

/**
 * Adds the components of hidden rows, which nothing shows either. `hidden` has a set for each collection by number, or
 * null. Takes a time linear in these components.
 */
export function hideComponents({ segments }: Store, hidden: (BitSet | null)[]): void {
  const hide = (number: number, rows: Uint32Array) => {
    const { type, links, polymorphic } = segments[number].collection;
    for (const attribute of type.attributes.values()) {
      const { name, kind } = attribute;
      if (kind !== 'component' && kind !== 'dynamiczone') continue;
      const found = new Map<number, number[]>();
      const add = (target: number, row: number) => {
        const list = found.get(target);
        if (list) list.push(row);
        else found.set(target, [row]);
      };
      if (isPolymorphic(attribute)) {
        const zone = polymorphic.get(name);
        for (const row of zone ? rows : []) {
          const collections = collectionsOf(zone!, row);
          for (const [i, component] of targetsOf(zone!, row).entries()) add(collections[i], component);
        }
      } else {
        const forward = links.get(name)?.forward;
        const target = forward && segments.findIndex(({ collection }) => collection.type.uid === attribute.target);
        for (const row of forward ? rows : [])
          for (const component of targetsOf(forward!, row)) add(target!, component);
      }
      for (const [target, components] of found) {
        const set = (hidden[target] ??= new BitSet(segments[target].rowCount));
        for (const component of components) set.add(component);
        hide(target, Uint32Array.from(components));
      }
    }
  };
  for (const [number, rows] of [...hidden.entries()]) if (rows) hide(number, rows.toArray());
}
