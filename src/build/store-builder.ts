import { createHash } from 'node:crypto';
import { SnapshotError } from '../base/errors.ts';
import { type Problems, preview } from '../base/problems.ts';
import {
  type EntryType,
  isLocalizations,
  isPolymorphic,
  isRelation,
  type LinkAttribute,
  type Schema,
} from '../model/schema.ts';
import type { AdjacencyPair, PolymorphicAdjacency } from '../sets/adjacency.ts';
import { type Allocator, heapAllocator } from '../sets/allocator.ts';
import { BitSet } from '../sets/bit-set.ts';
import type { Collection } from '../store/collection.ts';
import { localesOf } from '../store/locales.ts';
import { createStore, type Store } from '../store/store.ts';
import { AdjacencyBuilder } from './adjacency-builder.ts';
import { type BuiltRows, CollectionBuilder, type StoreOptions } from './collection-builder.ts';
import { contentVersion } from './content-version.ts';
import { documentLinks, maximumEntries, rowWithManyVersions, versionLinks } from './document-links.ts';
import { allocateAt, placeOf } from './place.ts';

/** Takes rows and links in any order. finish() returns the store; call it once. */
export class StoreBuilder {
  readonly schema: Schema;
  readonly #builders: CollectionBuilder[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #links = new Map<string, AdjacencyBuilder>();
  readonly #options: StoreOptions;
  readonly #allocator: Allocator;
  /** The finished links of owning attributes. The other side of a relation is the same pair, reversed. */
  readonly #pairs = new Map<string, AdjacencyPair>();

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
      links = new AdjacencyBuilder(this.#allocator, placeOf(uid, attribute));
      this.#links.set(name, links);
    }
    return links;
  }

  finish(defaultLocale: string): Store {
    const built = this.#builders.map((builder) => allocateAt(builder.type.uid, () => builder.finish()));
    for (const [number, rows] of built.entries()) checkDocuments(this.#builders[number].type, rows);
    const collections = built.map((rows, number) =>
      allocateAt(this.#builders[number].type.uid, () => this.#finishCollection(rows, number, built)),
    );
    const locales = localesOf(collections, defaultLocale);
    const facts = {
      contentVersion: contentVersion(collections, defaultLocale),
      schema: this.schema,
      schemaKey: schemaKey(collections, [defaultLocale, ...locales]),
      locales,
      defaultLocale,
    };
    return createStore(facts, collections);
  }

  #finishCollection(rows: BuiltRows, number: number, built: readonly BuiltRows[]): Collection {
    const { type } = this.#builders[number];
    const links = new Map<string, AdjacencyPair>();
    const polymorphic = new Map<string, PolymorphicAdjacency>();
    for (const attribute of type.attributes.values()) {
      if (attribute.private || !(isRelation(attribute) || isPolymorphic(attribute))) continue;
      const { name } = attribute;
      const allocate = <Links>(finish: () => Links) => allocateAt(placeOf(type.uid, name), finish);
      if (isPolymorphic(attribute)) {
        const builder = attribute.owner ? this.#owned(type.uid, name) : this.#usesOfFiles();
        const rowsOfAll = built.map((one) => one.rowOfOrdinal);
        const adjacency = allocate(() => builder.finishPolymorphic(rows.rowOfOrdinal, rowsOfAll));
        polymorphic.set(name, adjacency);
      } else if (attribute.unconnected) {
        // replies have nothing to show of it, and queries never follow it
      } else {
        const pair = allocate(() => this.#finishPair(type.uid, attribute, rows, built));
        links.set(name, pair);
      }
    }
    const { rowCount, columns, jsonRows, jsonTexts, published } = rows;
    const needsVersions = this.#options.derived?.versionLinks && type.kind !== 'component';
    const versions = needsVersions ? versionLinks(columns.get('documentId')!, this.#allocator) : null;
    const allRows = this.#everyRow(rowCount);
    const drafts = published && this.#everyRow(rowCount).subtract(published);
    const values = { columns, jsonRows, jsonTexts };
    const relations = { links, polymorphic, versions };
    return Object.freeze({ type, number, rowCount, ...values, ...relations, allRows, published, drafts });
  }

  /** `rows` are those of the type `uid`. */
  #finishPair(
    uid: string,
    attribute: LinkAttribute & { target: string },
    rows: BuiltRows,
    built: readonly BuiltRows[],
  ): AdjacencyPair {
    if (isLocalizations(attribute)) {
      const isLinked = this.#options.linksLocalizations;
      return isLinked ? this.#ownedPair(uid, attribute.name, uid, built) : this.#localizations(rows);
    }
    if (attribute.owner) return this.#ownedPair(uid, attribute.name, attribute.target, built);
    const { target, inverse } = attribute as { target: string; inverse: string };
    const owner = this.schema.type(target).attributes.get(inverse)!;
    const own = this.numberOf(uid);
    const { forward, reverse } = isPolymorphic(owner)
      ? // a polymorphic owner links to other collections too
        this.#owned(target, inverse)
          .only(own, attribute.name)
          .finishPair(built[this.numberOf(target)].rowOfOrdinal, built[own].rowOfOrdinal)
      : this.#ownedPair(target, inverse, uid, built);
    return { forward: reverse, reverse: forward };
  }

  #ownedPair(uid: string, attribute: string, target: string, built: readonly BuiltRows[]): AdjacencyPair {
    const name = linkName(uid, attribute);
    let pair = this.#pairs.get(name);
    if (!pair) {
      const rows = (of: string) => built[this.numberOf(of)].rowOfOrdinal;
      pair = this.#owned(uid, attribute).finishPair(rows(uid), rows(target));
      this.#pairs.set(name, pair);
    }
    return pair;
  }

  #owned(uid: string, attribute: string): AdjacencyBuilder {
    return this.#links.get(linkName(uid, attribute)) ?? new AdjacencyBuilder(this.#allocator);
  }

  /** Where files are used: all links of media attributes, seen from the file. */
  #usesOfFiles(): AdjacencyBuilder {
    const uses = new AdjacencyBuilder(this.#allocator);
    this.#builders.forEach(({ type }, number) => {
      for (const attribute of type.attributes.values()) {
        if (attribute.kind !== 'media' || attribute.private) continue;
        this.#owned(type.uid, attribute.name).appendReversedTo(uses, number);
      }
    });
    return uses;
  }

  /** The other rows of the same document and status, in load order. */
  #localizations({ columns, published, rowOfOrdinal }: BuiltRows): AdjacencyPair {
    const isOther = (source: number, target: number) =>
      source !== target && published?.has(source) === published?.has(target);
    return documentLinks(columns.get('documentId')!, rowOfOrdinal, isOther, this.#allocator);
  }

  #everyRow(rowCount: number): BitSet {
    return BitSet.full(rowCount, this.#allocator.uint32((rowCount + 31) >>> 5));
  }

  /** The number of the collection of a type. */
  numberOf(uid: string): number {
    const number = this.#numbers.get(uid);
    if (number === undefined) throw new Error(`no type ${uid}: define it in the schema before adding to it`);
    return number;
  }
}

function linkName(uid: string, attribute: string): string {
  return `${uid} ${attribute}`;
}

/** Throws a SnapshotError for a document with too many entries. Components have no documents. */
function checkDocuments({ uid, kind }: EntryType, { columns, jsonRows }: BuiltRows): void {
  const row = kind === 'component' ? null : rowWithManyVersions(columns.get('documentId')!);
  if (row === null) return;
  const documentId = preview(jsonRows.value(row, 'documentId'));
  throw new SnapshotError([`${uid}: the document ${documentId} has more than ${maximumEntries} entries`]);
}

function schemaKey(collections: readonly Collection[], locales: readonly string[]): string {
  const types = collections.map(({ type }) => [type, Array.from(type.attributes.values())]);
  return createHash('sha256')
    .update(JSON.stringify([types, locales]))
    .digest('hex')
    .slice(0, 16);
}
