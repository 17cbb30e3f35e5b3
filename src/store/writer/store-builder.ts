import { createHash } from 'node:crypto';
import { SnapshotError } from '../../core/errors.ts';
import { type Allocator, heapAllocator } from '../../core/memory/allocator.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { BitSet, wordCount } from '../../core/sets/bit-set.ts';
import type { EntryType, Schema } from '../../model/schema/schema.ts';
import type { Collection } from '../collection.ts';
import { localesOf } from '../locales.ts';
import { Segment } from '../segment.ts';
import { createStore, type Store } from '../store.ts';
import { allocateAt, placeOf } from './allocation-errors.ts';
import { type BuiltRows, CollectionBuilder } from './collection-builder.ts';
import { AdjacencyBuilder } from './links/adjacency-builder.ts';
import { hasVersionLinks, maximumEntries, rowWithManyVersions, versionLinks } from './links/document-links.ts';
import { linkName, StoreLinks } from './links/store-links.ts';
import { contentDigest } from './rows/row-digest.ts';
import type { StoreOptions } from './store-options.ts';

/** Takes rows and links in any order. finish() returns the store; call it once. Wait for `prepareDigests` first. */
export class StoreBuilder {
  readonly schema: Schema;
  readonly #builders: CollectionBuilder[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #links = new Map<string, AdjacencyBuilder>();
  readonly #options: StoreOptions;
  readonly #allocator: Allocator;

  constructor(schema: Schema, problems: Problems, options: StoreOptions) {
    this.schema = schema;
    this.#options = options;
    this.#allocator = options.allocator ?? heapAllocator;
    for (const type of schema.types.values()) {
      this.#numbers.set(type.uid, this.#builders.length);
      this.#builders.push(new CollectionBuilder(type, problems, options));
    }
  }

  rows(uid: string): CollectionBuilder {
    return this.#builders[this.numberOf(uid)];
  }

  /** Returns the builder of the links of an owning attribute. It takes load ordinals and collection numbers. */
  links(uid: string, attribute: string): AdjacencyBuilder {
    const name = linkName(uid, attribute);
    let links = this.#links.get(name);
    if (!links) {
      links = new AdjacencyBuilder(placeOf(uid, attribute));
      this.#links.set(name, links);
    }
    return links;
  }

  finish(defaultLocale: string): Store {
    const built = this.#builders.map((builder) => allocateAt(builder.type.uid, () => builder.finish()));
    for (const [number, rows] of built.entries()) checkDocuments(this.#builders[number].type, rows);
    const { schema } = this;
    const { linksLocalizations = false } = this.#options;
    const builders = this.#links;
    const links = new StoreLinks({ schema, builders, built, linksLocalizations, allocator: this.#allocator });
    const collections = built.map((rows, number) =>
      allocateAt(this.#builders[number].type.uid, () => this.#finishCollection(rows, number, links)),
    );
    const segments = collections.map((collection) => new Segment(collection));
    const locales = localesOf(segments, defaultLocale);
    const facts = {
      contentDigest: contentDigest({ schema, collections }, defaultLocale),
      schema,
      schemaKey: schemaKey(schema, defaultLocale, locales),
      locales,
      defaultLocale,
    };
    return createStore(facts, segments);
  }

  #finishCollection(rows: BuiltRows, number: number, storeLinks: StoreLinks): Collection {
    const { type } = this.#builders[number];
    const { rowCount, greatestId, columns, jsonRows, comparedTexts, published } = rows;
    const needsVersions = hasVersionLinks(type, this.#options.derived);
    const versions = needsVersions ? versionLinks(columns.get('documentId')!, this.#allocator) : null;
    const allRows = this.#everyRow(rowCount);
    const drafts = published && this.#everyRow(rowCount).subtract(published);
    const values = { columns, jsonRows, comparedTexts };
    const relations = { ...storeLinks.of(type), versions };
    return Object.freeze({ type, number, rowCount, greatestId, ...values, ...relations, allRows, published, drafts });
  }

  #everyRow(rowCount: number): BitSet {
    return BitSet.full(rowCount, this.#allocator.uint32(wordCount(rowCount)));
  }

  /** The number of the collection of a type. */
  numberOf(uid: string): number {
    const number = this.#numbers.get(uid);
    if (number === undefined) throw new Error(`no type ${uid}: define it in the schema before adding to it`);
    return number;
  }
}

/** Throws a SnapshotError for a document with too many entries. Components have no documents. */
function checkDocuments({ uid, kind }: EntryType, { columns, jsonRows }: BuiltRows): void {
  const row = kind === 'component' ? null : rowWithManyVersions(columns.get('documentId')!);
  if (row === null) return;
  const documentId = preview(jsonRows.value(row, 'documentId'));
  throw new SnapshotError([`${uid}: the document ${documentId} has more than ${maximumEntries} entries`]);
}

/** Returns the digest of what binding depends on. */
export function schemaKey({ types }: Schema, defaultLocale: string, locales: ReadonlySet<string>): string {
  const described = Array.from(types.values(), (type) => [type, Array.from(type.attributes.values())]);
  return createHash('sha256')
    .update(JSON.stringify([described, [defaultLocale, ...locales]]))
    .digest('hex')
    .slice(0, 16);
}
