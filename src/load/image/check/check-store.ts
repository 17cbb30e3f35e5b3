import type { StorePolicy } from '../../../core/dialect.ts';
import { BitSet, wordCount } from '../../../core/sets/bit-set.ts';
import { collationOf } from '../../../model/collations/collation.ts';
import { isPolymorphic, isRelation, servedScalars } from '../../../model/schema/schema.ts';
import { comparisonKindOf } from '../../../model/schema/value-types.ts';
import { type Collection, orderKeysOf, searchKeysOf } from '../../../store/collection.ts';
import type { Column } from '../../../store/columns/column.ts';
import type { NumberDictionary } from '../../../store/columns/number-dictionary.ts';
import type { AdjacencyPair } from '../../../store/links/adjacency.ts';
import { localesOf } from '../../../store/locales.ts';
import { fillIdCodes } from '../../../store/row-order.ts';
import { collectionOf, createStore, type Store } from '../../../store/store.ts';
import { hasVersionLinks, maximumEntries, rowWithManyVersions } from '../../../store/writer/links/document-links.ts';
import { holdsLinks } from '../../../store/writer/links/store-links.ts';
import { isComparedAsJson } from '../../../store/writer/rows/compared-texts.ts';
import { schemaKey } from '../../../store/writer/store-builder.ts';
import { checkColumn } from './check-column.ts';
import { checkPair, checkPolymorphic } from './check-links.ts';
import { checkRows } from './check-rows.ts';
import {
  areSetsBelow,
  check,
  equals,
  type Finding,
  hasLength,
  isPermutation,
  type Rules,
  wrongItem,
} from './invariants.ts';

/**
 * Checks every array of a store that somebody else may have written, so that no query reads beside an array, and returns
 * the store with the locales and the key that follow from it. `policy` is that of the dialect that it was built for. Takes
 * a time linear in its bytes. Throws an Error that names the first array that is wrong.
 *
 * Does not check whether the rows, the dictionaries, the folded texts and the posting lists say the same: a store that
 * passes may find the wrong entries of its own.
 */
export function checkedStore(store: Store, policy: StorePolicy): Store {
  const { schema, collections, segments, defaultLocale } = store;
  for (const collection of collections) {
    const { uid } = collection.type;
    // first, because the length of an array bounds the number of rows here
    checkRows(`${uid}/jsonRows`, collection.jsonRows, collection.rowCount);
    checkColumns(uid, collection, policy);
    check(uid, collectionRules, collection);
  }
  // the numbers of all rows are right now
  for (const collection of collections) checkLinks(store, collection, policy);
  const locales = localesOf(segments, defaultLocale);
  return createStore({ ...store, locales, schemaKey: schemaKey(schema, defaultLocale, locales) }, segments);
}

function checkColumns(uid: string, { type, columns, comparedTexts, rowCount }: Collection, policy: StorePolicy): void {
  const keys = policy.collation === null ? null : collationOf(policy.collation).keys;
  for (const { name, type: scalarType } of servedScalars(type)) {
    checkColumn(`${uid}/columns/${name}`, scalarType, columns.get(name)!, rowCount);
    const checkTexts = (path: string, isNeeded: boolean) => {
      const texts = comparedTexts.get(path);
      checkPresence(`${uid}/jsonTexts/${path}`, texts !== undefined, texts !== undefined || isNeeded);
      if (texts) checkColumn(`${uid}/jsonTexts/${path}`, 'string', texts, rowCount);
    };
    checkTexts(name, policy.jsonTexts !== null && isComparedAsJson(scalarType));
    const hasKeys = keys !== null && comparisonKindOf(scalarType) === 'text';
    for (const path of [orderKeysOf(name), searchKeysOf(name)]) checkTexts(path, hasKeys);
  }
}

/** The sets of rows have as many words as the ones that `expected` makes. */
const collectionRules: Rules<Collection> = [
  ['columns/id/values', ({ columns, rowCount }) => hasLength(idsOf(columns), rowCount)],
  ['columns/id/values', ({ columns }) => areIds(idsOf(columns))],
  ['columns/id/codes', ({ columns }) => equals(columns.get('id')!.codes, codesOfIds(columns.get('id')!.codes.length))],
  ['greatestId', ({ columns, greatestId }) => isGreatestId(greatestId, idsOf(columns))],
  ['columns/documentId/index/offsets', areDocumentsSmall],
  ['loadOrder', ({ loadOrder, rowCount }) => loadOrder && hasLength(loadOrder, rowCount)],
  ['loadOrder', ({ loadOrder }) => loadOrder && isPermutation(loadOrder)],
  ['allRows', ({ allRows, rowCount }) => equals(allRows.words, BitSet.full(rowCount).words)],
  ['published', ({ published, rowCount }) => published && hasLength(published.words, wordCount(rowCount))],
  ['published', ({ published, rowCount }) => published && areSetsBelow(published.words, rowCount)],
  [
    'drafts',
    ({ drafts, published, allRows }) => published && equals(drafts!.words, allRows.clone().subtract(published).words),
  ],
];

function idsOf(columns: Collection['columns']): Float64Array {
  return (columns.get('id')!.dictionary as NumberDictionary).values;
}

/** The ids ascend. */
function areIds(ids: Float64Array): Finding {
  const wrong = ids.findIndex((id) => !Number.isSafeInteger(id) || id < 1);
  return wrong < 0 ? null : `item ${wrong} is ${ids[wrong]}, expected a positive integer`;
}

function codesOfIds(rowCount: number): Uint32Array {
  const codes = new Uint32Array(rowCount);
  fillIdCodes(codes);
  return codes;
}

function isGreatestId(greatestId: number, ids: Float64Array): Finding {
  const least = ids.at(-1) ?? 0;
  return Number.isSafeInteger(greatestId) && greatestId >= least ? null : `${greatestId}, expected at least ${least}`;
}

function areDocumentsSmall({ type, columns }: Collection): Finding {
  const row = type.kind === 'component' ? null : rowWithManyVersions(columns.get('documentId')!);
  return row === null ? null : `the document of row ${row} has more than ${maximumEntries} entries`;
}

function checkLinks(store: Store, collection: Collection, policy: StorePolicy): void {
  const { type, columns, links, polymorphic, versions, rowCount } = collection;
  const { uid } = type;
  for (const attribute of type.attributes.values()) {
    const { name } = attribute;
    const pair = links.get(name);
    const several = polymorphic.get(name);
    const isHeld = holdsLinks(store.schema, attribute);
    checkPresence(`${uid}/links/${name}`, pair !== undefined, isHeld && !isPolymorphic(attribute));
    checkPresence(`${uid}/polymorphic/${name}`, several !== undefined, isHeld && isPolymorphic(attribute));
    if (pair && isRelation(attribute)) {
      checkPair(`${uid}/links/${name}`, pair, rowCount, collectionOf(store, attribute.target).rowCount);
    }
    if (several && isPolymorphic(attribute)) {
      const targets = store.collections.map(({ type: { uid, attributes }, rowCount }) => {
        return attribute.components?.includes(uid) === false ? undefined : { rowCount, attributes: attributes.size };
      });
      checkPolymorphic(`${uid}/polymorphic/${name}`, several, rowCount, targets);
    }
  }
  checkPresence(`${uid}/versions`, versions !== null, versions !== null || hasVersionLinks(type, policy));
  if (!versions) return;
  checkPair(`${uid}/versions`, versions, rowCount, rowCount);
  check(`${uid}/versions/forward`, [['targets', () => areVersions(versions, columns.get('documentId')!)]], null);
}

/** Each row leads to all rows of its document, ascending. A row without a document leads to itself. */
function areVersions({ forward: { offsets, targets } }: AdjacencyPair, { codes, index }: Column): Finding {
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    const first = code === 0 ? 0 : index.offsets[code];
    const count = code === 0 ? 1 : index.offsets[code + 1] - first;
    if (offsets[row + 1] - offsets[row] !== count) return `row ${row} does not lead to the ${count} of its document`;
    for (let i = 0; i < count; i++) {
      const expected = code === 0 ? row : index.rows[first + i];
      const link = offsets[row] + i;
      if (targets[link] !== expected) return wrongItem(link, targets[link], String(expected));
    }
  }
  return null;
}

function checkPresence(name: string, isThere: boolean, isExpected: boolean): void {
  if (isThere === isExpected) return;
  throw new Error(isExpected ? `the arrays ${name} are missing` : `the schema has no attribute for the arrays ${name}`);
}
