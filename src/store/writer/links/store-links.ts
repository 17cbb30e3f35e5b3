import type { Allocator } from '../../../core/memory/allocator.ts';
import {
  type Attribute,
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isRelation,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
  type Schema,
} from '../../../model/schema/schema.ts';
import type { Collection } from '../../collection.ts';
import { type Adjacency, type AdjacencyPair, type PolymorphicAdjacency, positionAt } from '../../links/adjacency.ts';
import { allocateAt, placeOf } from '../allocation-errors.ts';
import type { BuiltRows } from '../collection-builder.ts';
import { AdjacencyBuilder } from './adjacency-builder.ts';
import { isInDocumentOrder, localizationLinks } from './document-links.ts';
import {
  adjacencyPair,
  type LinkList,
  linksBySource,
  linksShownBy,
  polymorphicAdjacency,
  replaceEach,
} from './link-list.ts';
import { inverseNumberOf } from './shown-by.ts';

interface LinkSources {
  readonly schema: Schema;
  /** The links of owning attributes by `linkName`. Attributes without links may be missing. */
  readonly builders: ReadonlyMap<string, AdjacencyBuilder>;
  /** The rows of each collection, in the order of the types. */
  readonly built: readonly BuiltRows[];
  readonly linksLocalizations: boolean;
  readonly allocator: Allocator;
}

/** The key of the links of an attribute. */
export function linkName(uid: string, attribute: string): string {
  return `${uid} ${attribute}`;
}

/**
 * Whether a collection holds the links of an attribute of its type. It holds those of a private polymorphic attribute if
 * another type shows them, and no others of private attributes, which are read from their inverse side.
 */
export function holdsLinks(schema: Schema, attribute: Attribute): attribute is LinkAttribute {
  if (isPolymorphic(attribute)) return !attribute.private || schema.storesLinks(attribute);
  return isRelation(attribute) && !attribute.private && !attribute.unconnected;
}

/** Finishes the links of a store, each owning attribute once. */
export class StoreLinks {
  readonly #sources: LinkSources;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #lists = new Map<string, LinkList>();
  /** The finished links of owning attributes. The other side of a relation is the same pair, reversed. */
  readonly #pairs = new Map<string, AdjacencyPair>();

  constructor(sources: LinkSources) {
    this.#sources = sources;
    this.#numbers = new Map(Array.from(sources.schema.types.keys(), (uid, number) => [uid, number]));
  }

  /** Returns the links of a type. Throws a SnapshotError that names the attribute whose links cannot be allocated. */
  of(type: EntryType): Pick<Collection, 'links' | 'polymorphic' | 'loadOrder'> {
    const loadOrder = this.#loadOrder(type);
    const links = new Map<string, AdjacencyPair>();
    const polymorphic = new Map<string, PolymorphicAdjacency>();
    for (const attribute of type.attributes.values()) {
      const { name } = attribute;
      const allocate = <Links>(finish: () => Links) => allocateAt(placeOf(type.uid, name), finish);
      if (!holdsLinks(this.#sources.schema, attribute)) continue;
      if (isPolymorphic(attribute)) {
        polymorphic.set(
          name,
          allocate(() => this.#polymorphic(type, attribute)),
        );
      } else {
        links.set(
          name,
          allocate(() => this.#pair(type, attribute, loadOrder)),
        );
      }
    }
    return { links, polymorphic, loadOrder };
  }

  #loadOrder({ uid, attributes }: EntryType): Uint32Array | null {
    const attribute = attributes.get('localizations');
    const { built, linksLocalizations, allocator } = this.#sources;
    if (!attribute || attribute.private || !isLocalizations(attribute) || linksLocalizations) return null;
    const { columns, rowOfOrdinal } = built[this.#numberOf(uid)];
    if (isInDocumentOrder(columns.get('documentId')!, rowOfOrdinal)) return null;
    const rows = allocator.uint32(rowOfOrdinal.length);
    rows.set(rowOfOrdinal);
    return rows;
  }

  #polymorphic({ uid }: EntryType, { name, owner }: PolymorphicAttribute): PolymorphicAdjacency {
    const { schema, allocator } = this.#sources;
    if (!owner) return usesOfFiles([...this.#media()], this.#rowCount(fileType), allocator);
    const types = [...schema.types.values()];
    const inverseNumber = (collection: number, inverse: string) => inverseNumberOf(types[collection], inverse);
    return polymorphicAdjacency(this.#list(uid, name), this.#rowCount(uid), inverseNumber, allocator);
  }

  #pair({ uid }: EntryType, attribute: RelationAttribute, loadOrder: Uint32Array | null): AdjacencyPair {
    const { schema, linksLocalizations, allocator, built } = this.#sources;
    const { name, target } = attribute;
    if (isLocalizations(attribute)) {
      if (linksLocalizations) return this.#owned(uid, name, uid);
      const { columns, published } = built[this.#numberOf(uid)];
      return localizationLinks(columns.get('documentId')!, loadOrder, published, allocator);
    }
    if (attribute.owner) return this.#owned(uid, name, target);
    const inverse = attribute.inverse!;
    const owner = schema.type(target).attributes.get(inverse)!;
    const { forward, reverse } = isPolymorphic(owner)
      ? adjacencyPair(
          linksShownBy(this.#list(target, inverse), this.#numberOf(uid), name),
          this.#rowCount(target),
          this.#rowCount(uid),
          allocator,
        )
      : this.#owned(target, inverse, uid);
    return { forward: reverse, reverse: forward };
  }

  #owned(uid: string, attribute: string, target: string): AdjacencyPair {
    const name = linkName(uid, attribute);
    let pair = this.#pairs.get(name);
    if (!pair) {
      const list = this.#list(uid, attribute);
      pair = adjacencyPair(list, this.#rowCount(uid), this.#rowCount(target), this.#sources.allocator);
      this.#pairs.set(name, pair);
    }
    return pair;
  }

  #list(uid: string, attribute: string): LinkList {
    const name = linkName(uid, attribute);
    let list = this.#lists.get(name);
    if (!list) {
      const { builders, built } = this.#sources;
      const builder = builders.get(name) ?? new AdjacencyBuilder();
      const rows = built.map(({ rowOfOrdinal }) => rowOfOrdinal);
      list = builder.finish(this.#numberOf(uid), rows);
      this.#lists.set(name, list);
    }
    return list;
  }

  *#media(): Generator<MediaLinks> {
    for (const { uid, attributes } of this.#sources.schema.types.values()) {
      for (const { kind, name, private: isPrivate } of attributes.values()) {
        if (kind !== 'media' || isPrivate) continue;
        yield { collection: this.#numberOf(uid), links: this.#owned(uid, name, fileType).forward };
      }
    }
  }

  #rowCount(uid: string): number {
    return this.#sources.built[this.#numberOf(uid)].rowCount;
  }

  #numberOf(uid: string): number {
    return this.#numbers.get(uid)!;
  }
}

/** The links of a media attribute, from the rows of a collection to files. */
interface MediaLinks {
  readonly collection: number;
  readonly links: Adjacency;
}

/**
 * Returns where files are used: the links of media attributes, seen from the files. Strapi lists the uses of a file by
 * its position in the media list of each entry (recorded in test/conformance/almanac). Uses at the same position are in
 * the order of types, attributes and rows.
 */
export function usesOfFiles(
  media: readonly MediaLinks[],
  fileCount: number,
  allocator: Allocator,
): PolymorphicAdjacency {
  const count = media.reduce((sum, { links }) => sum + links.targets.length, 0);
  const files = new Uint32Array(count);
  const users = new Uint32Array(count);
  const collections = new Uint32Array(count);
  const positions = new Float64Array(count);
  let first = 0;
  for (const { collection, links } of media) {
    const { offsets, targets } = links;
    files.set(targets, first);
    collections.fill(collection, first, first + targets.length);
    for (let row = 0; row + 1 < offsets.length; row++) {
      for (let link = offsets[row]; link < offsets[row + 1]; link++) {
        users[first + link] = row;
        positions[first + link] = positionAt(links.positions!, link, link - offsets[row]);
      }
    }
    first += targets.length;
  }
  const uses = linksBySource(files, fileCount, [positions], allocator);
  const collectionOf = allocator.uint16(count);
  for (let i = 0; i < count; i++) collectionOf[i] = collections[uses.targets[i]];
  replaceEach(uses.targets, users);
  return { ...uses, collections: collectionOf, inversePositions: null, shownBy: null };
}
